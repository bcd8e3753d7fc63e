import { expect, test, vi } from "vitest";

import { HTML_ATTACKS, LINK_ATTACKS } from "../../tests/e2e/attacks";
import { isBearable, LONGEST_MARKDOWN, LONGEST_PARAGRAPH } from "./bearable";
import { highlight } from "./languages";
import { LONGEST_CODE, renderCode, renderMarkdown } from "./markdown";

// Thousands of documents are made here, which takes a while where others work, too.
vi.setConfig({ testTimeout: 60_000 });

/** Elements that Markdown can make, and attributes that they may have; everything else would be somebody's trick. */
const ELEMENTS = new Set(
  "a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr li ol p pre strong table tbody td th thead tr ul span".split(
    " ",
  ),
);
const ATTRIBUTES = new Set("href class align start target rel".split(" "));

/** Puts HTML into a document as the page does, and asserts that everything in it is harmless. */
function checked(html: string): HTMLElement {
  const place = document.createElement("div");
  place.innerHTML = html;
  for (const element of place.querySelectorAll("*")) {
    expect(ELEMENTS).toContain(element.localName);
    for (const { name, value } of element.attributes) {
      expect(ATTRIBUTES).toContain(name);
      if (name === "href") expect(value).toMatch(/^(?:https?|mailto):/u);
      if (name === "class") expect(value).toMatch(/^hljs-/u);
    }
    if (element.hasAttribute("href")) expect(element.getAttribute("rel")).toContain("noopener");
  }
  // Parsed again, it is still the same: nothing in it changes its meaning on the way.
  const again = document.createElement("div");
  again.innerHTML = place.innerHTML;
  expect(again.innerHTML).toBe(place.innerHTML);
  return place;
}

const FRAMES: readonly (readonly [string, (attack: string) => string])[] = [
  ["as it is", (attack) => attack],
  ["in a list", (attack) => `- ${attack}\n  - ${attack}`],
  ["in a quote", (attack) => `> ${attack}\n>> ${attack}`],
  ["in a table", (attack) => `| a |\n|---|\n| ${attack} |`],
  ["in a heading", (attack) => `# ${attack}`],
  ["in emphasis", (attack) => `**_${attack}_**`],
  ["in code", (attack) => `\`${attack}\``],
  ["in a fence", (attack) => `~~~html\n${attack}\n~~~`],
  ["as a language", (attack) => `~~~${attack}\nx\n~~~`],
  ["as the words of a link", (attack) => `[${attack}](https://example.invalid)`],
  ["as a title", (attack) => `[x](https://example.invalid "${attack}")`],
  ["as an address", (attack) => `[x](https://example.invalid/${attack})`],
  ["as an image", (attack) => `![${attack}](${attack})`],
];

test.each(FRAMES)("no attack works %s", (_, frame) => {
  for (const attack of [...HTML_ATTACKS, ...LINK_ATTACKS]) {
    checked(renderMarkdown(frame(attack)));
    checked(renderMarkdown(frame(attack), highlight));
  }
});

test("HTML is shown as it was written", () => {
  expect(checked(renderMarkdown("<b>bold</b> <script>x</script>")).textContent).toContain(
    "<b>bold</b> <script>x</script>",
  );
});

test("links lead to pages and nowhere else", () => {
  const links = checked(
    renderMarkdown("[a](https://a.invalid) <b@c.invalid> [d](./d.md) [e](#e) http://f.invalid"),
  );
  expect([...links.querySelectorAll("a[href]")].map((link) => link.getAttribute("href"))).toEqual([
    "https://a.invalid",
    "mailto:b@c.invalid",
    "http://f.invalid",
  ]);
});

test("images are named, and never loaded", () => {
  const place = checked(renderMarkdown("![a cat](https://a.invalid/cat.png) ![](https://b.invalid/x.png)"));
  expect(place.querySelector("img")).toBeNull();
  expect(place.textContent).toContain("a cat");
});

test("code keeps its words whatever the language is, and known ones get colours", () => {
  const code = 'fn main() { println!("<script>&amp;"); }';
  const fence = `\`\`\`rust\n${code}\n\`\`\``;
  expect(checked(renderMarkdown(fence)).textContent.trim()).toBe(code);
  const coloured = checked(renderMarkdown(fence, highlight));
  expect(coloured.textContent.trim()).toBe(code);
  expect(coloured.querySelectorAll(".hljs-keyword").length).toBeGreaterThan(0);
  expect(checked(renderMarkdown("```klingon\nQapla'\n```", highlight)).textContent.trim()).toBe("Qapla'");
  for (const attack of HTML_ATTACKS)
    for (const language of ["html", "svelte", "js", "md", "bash", "__proto__", ""])
      expect(checked(renderCode(attack, language, highlight)).textContent).toBe(attack);
});

test("what Markdown is for works", () => {
  const place = checked(
    renderMarkdown("# Title\n\n- [x] done\n- [ ] open\n\n1. one\n\n| a | b |\n|--|:-:|\n| 1 | 2 |\n\n~~x~~"),
  );
  const has = (selector: string): number => place.querySelectorAll(selector).length;
  expect(["h1", "ul > li", "ol > li", "td", "del"].map(has)).toEqual([1, 2, 1, 2, 1]);
  expect(place.textContent).toMatch(/☑ done\s+☐ open/u);
});

test("directions and control characters are made visible", () => {
  expect(checked(renderMarkdown("a\u202eb\u2066c\u0007d")).textContent.trim()).toBe("a\ufffdb\ufffdc\ufffdd");
  expect(checked(renderMarkdown("שלום \u200f עולם")).textContent.trim()).toBe("שלום \u200f עולם");
});

test("what is too long is shown as it is written", () => {
  const text = `**x** ${"y".repeat(LONGEST_MARKDOWN)}`;
  const place = checked(renderMarkdown(text));
  expect([place.children.length, place.firstElementChild?.localName]).toEqual([1, "pre"]);
  expect(place.textContent).toBe(text);
  const code = "let x = 1;\n".repeat(LONGEST_CODE / 10);
  expect(checked(renderCode(code, "rust", highlight)).querySelector("span")).toBeNull();
});

test("what is nested without end is shown all the same", () => {
  for (const sign of ["> ", "- ", "* ", "[", "![", "**", "_", "<div>", "`", "1. ", "\n> - "]) {
    const text = sign.repeat(Math.floor(20_000 / sign.length));
    expect(checked(renderMarkdown(text))).toBeInstanceOf(HTMLElement);
  }
});

/** Each of these takes time by the square of its length, or worse, if it is read at all. */
test.each([
  ["emphasis", "_a", true],
  ["more emphasis", "*a_ ", true],
  ["blanks", " b  ", true],
  ["quotes", ">", false],
  ["quotes with blanks", "> ", false],
  ["lists", "1. ", false],
  ["lists in quotes", "> - ", false],
  ["lines", "_a\n", true],
  ["brackets", "[a](", true],
  ["angles", "<a ", true],
  ["backticks", "`` ` ", true],
  ["a fence that is none", "```x`y", true],
])("%s without end are not read as Markdown", (_, sign, isLong) => {
  const text = sign.repeat(Math.ceil((isLong ? LONGEST_PARAGRAPH + 1 : 100) / sign.length));
  expect(isBearable(text)).toBe(false);
  expect(checked(renderMarkdown(text)).firstElementChild?.localName).toBe("pre");
});

test("long texts as people and models write them are read as Markdown", () => {
  const list = "- an item with **bold** words\n".repeat(1000);
  const code = `\`\`\`rust\n${"let x = 1;\n".repeat(2000)}\`\`\`\n`;
  const table = `| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(1000)}`;
  const paragraphs = `${"word ".repeat(500)}\n\n`.repeat(15);
  expect([list, code, table, paragraphs].map(isBearable)).toEqual([true, true, true, true]);
  expect(isBearable("x".repeat(LONGEST_MARKDOWN + 1))).toBe(false);
});
