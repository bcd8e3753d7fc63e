/**
 * Markdown of sessions as HTML. What it is made from is hostile: nothing in it may run, look like a part of the page, or ask
 * another host for anything.
 */

import DOMPurify from "dompurify";
import { Marked } from "marked";

const marked = new Marked({ gfm: true, breaks: true });

/** Images are shown by their words: to load one would tell another host that this was read. */
marked.use({
  renderer: {
    image({ text, href }) {
      return escape(text === "" ? href : text);
    },
    html({ text }) {
      return escape(text);
    },
  },
});

const TAGS = [
  ..."a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i input kbd li ol p pre s strong sub sup".split(" "),
  ..."table tbody td th thead tr ul span".split(" "),
];

const purifier = DOMPurify(window);
purifier.addHook("afterSanitizeAttributes", (element) => {
  if (element.tagName === "A") {
    element.setAttribute("target", "_blank");
    element.setAttribute("rel", "noopener noreferrer nofollow");
  }
  // Task lists are the only fields that there are, and nobody can tick them.
  if (element.tagName === "INPUT") {
    element.setAttribute("type", "checkbox");
    element.setAttribute("disabled", "");
  }
});

/** Returns HTML that can be put into the page as it is. */
export function renderMarkdown(text: string): string {
  const html = marked.parse(text, { async: false });
  return purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: [
      "href",
      "class",
      "align",
      "start",
      "checked",
      "disabled",
      "type",
      "target",
      "rel",
      "colspan",
    ],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/iu,
    ALLOW_DATA_ATTR: false,
  });
}

function escape(text: string): string {
  return text.replace(/[&<>"']/gu, (sign) => `&#${sign.codePointAt(0) ?? 0};`);
}
