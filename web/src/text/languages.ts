/** Colours for the languages that occur in sessions. It is large, and loaded only where code is shown. */

import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import elixir from "highlight.js/lib/languages/elixir";
import go from "highlight.js/lib/languages/go";
import graphql from "highlight.js/lib/languages/graphql";
import haskell from "highlight.js/lib/languages/haskell";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import lua from "highlight.js/lib/languages/lua";
import makefile from "highlight.js/lib/languages/makefile";
import markdown from "highlight.js/lib/languages/markdown";
import nix from "highlight.js/lib/languages/nix";
import perl from "highlight.js/lib/languages/perl";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import scss from "highlight.js/lib/languages/scss";
import shell from "highlight.js/lib/languages/shell";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

import type { Highlighter } from "./markdown";

const LANGUAGES = {
  ...{
    bash,
    c,
    cpp,
    csharp,
    css,
    diff,
    dockerfile,
    elixir,
    go,
    graphql,
    haskell,
    ini,
    java,
    javascript,
    json,
  },
  ...{ kotlin, lua, makefile, markdown, nix, perl, php, python, ruby, rust, scss, shell, sql, swift },
  ...{ typescript, xml, yaml },
};

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);
hljs.registerAliases(["svelte", "vue"], { languageName: "xml" });
hljs.registerAliases(["env", "conf", "cfg"], { languageName: "ini" });
hljs.registerAliases(["jsonl", "json5"], { languageName: "json" });

export const highlight: Highlighter = (code, language) =>
  hljs.getLanguage(language) === undefined
    ? null
    : hljs.highlight(code, { language, ignoreIllegals: true }).value;
