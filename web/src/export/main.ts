/** What shows an exported session. It stands in the same file as the session, and asks nothing of any host. */

import "../style/tokens.css";
import "../style/base.css";
import "./export.css";

import { mount } from "svelte";

import { readExport } from "./session";
import Viewer from "./Viewer.svelte";

const target = document.getElementById("page");
const data = document.getElementById("session")?.textContent;
if (target === null || data == null) throw new Error("this file has no session in it");
mount(Viewer, { target, props: { exported: readExport(JSON.parse(data)) } });
