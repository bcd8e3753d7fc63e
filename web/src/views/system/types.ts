/** Names for what the daemon tells of itself. */

import type { Answer } from "../../api/client";

export type Status = Answer<"get", "/api/v1/daemon/status">;
export type Job = Answer<"get", "/api/v1/daemon/queue">["jobs"][number];
export type OwnDay = Answer<"get", "/api/v1/daemon/own-use">[number];
export type Diagnosis = Answer<"get", "/api/v1/daemon/doctor">;
export type Setting = Answer<"get", "/api/v1/config">[number];
