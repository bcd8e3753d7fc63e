/**
 * Markdown and code of sessions as HTML. What it is made from is hostile: nothing in it may run, look like a part of the page,
 * or ask another host for anything.
 */

import DOMPurify from "dompurify";
import { Marked } from "marked";

import { isBearable } from "./bearable";
import { harmless } from "./harmless";

/** Colours code: returns HTML, or nothing if it does not know the language. */
export type Highlighter = (code: string, language: string) => string | null;

/** Code longer than this is not coloured. */
export const LONGEST_CODE = 30_000;

/** Returns HTML that can be put into the page as it is. What would take long to read is shown as it is written. */
export function renderMarkdown(text: string, highlighter?: Highlighter): string {
  const clean = harmless(text);
  if (!isBearable(clean)) return asWritten(clean);
  try {
    return purify(markedWith(highlighter).parse(clean, { async: false }));
  } catch {
    // What is nested without end cannot be read to its end.
    return asWritten(clean);
  }
}

/** Returns the HTML of a piece of code, coloured where its language is known. */
export function renderCode(code: string, language: string, highlighter?: Highlighter): string {
  return purify(coloured(harmless(code), language, highlighter));
}

function asWritten(text: string): string {
  return purify(`<pre>${escape(text)}</pre>`);
}

function coloured(code: string, language: string, highlighter: Highlighter | undefined): string {
  if (code.length > LONGEST_CODE || language === "") return escape(code);
  return highlighter?.(code, language) ?? escape(code);
}

const readers = new Map<Highlighter | undefined, Marked>();

function markedWith(highlighter: Highlighter | undefined): Marked {
  const known = readers.get(highlighter);
  if (known !== undefined) return known;
  const made = new Marked({ gfm: true, breaks: true });
  made.use({
    renderer: {
      // Images are shown by their words: to load one would tell another host that this was read.
      image: ({ text, href }) => escape(text === "" ? href : text),
      html: ({ text }) => escape(text),
      // Nobody can tick them here, so they are no fields.
      checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
      code: ({ text, lang = "" }) =>
        `<pre><code>${coloured(text, /^[\w+#.-]*/u.exec(lang)?.[0] ?? "", highlighter)}</code></pre>`,
    },
  });
  readers.set(highlighter, made);
  return made;
}

const TAGS = [
  ..."a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i kbd li ol p pre s strong sub sup".split(" "),
  ..."table tbody td th thead tr ul span".split(" "),
];

const ATTRIBUTES = "href class align start target rel colspan".split(" ");

const purifier = DOMPurify;
purifier.addHook("uponSanitizeAttribute", (_element, attribute) => {
  // Only what colours code may name a class: the page's own mean something.
  if (attribute.attrName === "class")
    attribute.keepAttr = /^hljs-[\w-]+(?: [\w-]+_)*$/u.test(attribute.attrValue);
});
purifier.addHook("afterSanitizeAttributes", (element) => {
  if (element.tagName === "A" && element.hasAttribute("href")) {
    element.setAttribute("target", "_blank");
    element.setAttribute("rel", "noopener noreferrer nofollow");
  }
});

/**
 * Where the page's policy asks for trusted HTML this is such, and no other text can be put into the page; it is as good as a
 * string to everybody else.
 */
function purify(html: string): string {
  return purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/iu,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_TRUSTED_TYPE: true,
  }) as unknown as string;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/gu, (sign) => `&#${sign.codePointAt(0) ?? 0};`);
}
