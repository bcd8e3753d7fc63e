import "./style/tokens.css";
import "./style/base.css";

import { mount } from "svelte";

import Page from "./shell/Page.svelte";

const target = document.getElementById("page");
if (target === null) throw new Error("the page has no place to be shown in");
mount(Page, { target });
