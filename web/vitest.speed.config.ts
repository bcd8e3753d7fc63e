import { mergeConfig } from "vitest/config";

import e2e from "./vitest.e2e.config";

/** The page before a large store, by hand. */
export default mergeConfig(e2e, { test: { include: ["tests/speed/*.test.ts"] } });
