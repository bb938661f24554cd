import { expect, test } from "vitest";
import {
  codeBlock,
  escapeWorkflowCommands,
  inHtml,
  inlineCode,
  inMarkdown,
  oneLine,
  showControlCharacters,
  stripControlCharacters,
} from "../../src/render/escape.ts";
import { commandIn } from "../parts/composite/log-commands.ts";
import { fc } from "../parts/random.ts";

const esc = "\u001b";

test.each<[what: string, text: string, shown: string]>([
  ["colours", `${esc}[31mred${esc}[0m`, "red"],
  ["window titles and links", `${esc}]0;owned\u0007a${esc}]8;;http://x${esc}\\b`, "ab"],
  ["carriage returns that overprint", "real\rfake", "real\nfake"],
  ["Windows line ends", "a\r\nb", "a\nb"],
  ["rare line ends", "a\u0085b\u2028c", "a\nb\nc"],
  ["text that runs the other way", "a\u202egnp.exe\u2066b", "agnp.exeb"],
  ["characters of no width", "a\u200bb\u2060c\ufeffd\u00ade", "abcde"],
  ["hidden tags", "a\u{e0041}b", "ab"],
  ["bells and nulls", "a\u0000b\u0007", "ab"],
  ["half characters", "a\ud800b", "a\ufffdb"],
])("removes %s", (_what, text, shown) => {
  expect(stripControlCharacters(text)).toBe(shown);
});

test("shows what a terminal would obey or hide, but not the line ends of Windows", () => {
  const text = `+a${esc}[2K${esc}[1Ab\u202ec\u200b\u{e0041}\u009b\rd\r\n\te\n`;
  expect(showControlCharacters(text)).toBe(
    "+a<U+001B>[2K<U+001B>[1Ab<U+202E>c<U+200B><U+E0041><U+009B><U+000D>d\r\n\te\n",
  );
});

test("keeps letters of all languages, emoji, tabs and line feeds", () => {
  expect(stripControlCharacters("Größe 測試 🎉\tok\n")).toBe("Größe 測試 🎉\tok\n");
});

test("puts a text into one line", () => expect(oneLine(" a\r\n\tb  c ")).toBe("a b c"));

test.each<[what: string, text: string, shown: string]>([
  ["markup", "*a* _b_ `c` ~d~", "\\*a\\* \\_b\\_ \\`c\\` \\~d\\~"],
  ["links and images", "![x](javascript:1) [y][z]", "!\\[x\\](javascript:1) \\[y\\]\\[z\\]"],
  ["HTML and comments", "<img src=x> <!-- a -->", "&lt;img src=x&gt; &lt;!-- a --&gt;"],
  ["entities", "&lt;b&#64;c", "&amp;lt;b&amp;#&#8203;64;c"],
  ["mentions", "@octocat a@b.c", "@&#8203;octocat a@&#8203;b.c"],
  ["references to issues", "fixes #12 GH-3 a/b#4", "fixes #&#8203;12 GH-&#8203;3 a/b#&#8203;4"],
  ["bare addresses", "https://x.y www.x.y", "https:&#8203;//x.y www.&#8203;x.y"],
  ["cells and lines of a table", "a | b\n| c", "a \\| b \\| c"],
  ["formulas", "$x$", "\\$x\\$"],
])("shows %s in Markdown as they are written", (_what, text, shown) => {
  expect(inMarkdown(text)).toBe(shown);
});

test("puts code into as many ticks as it needs", () => {
  expect(inlineCode("a `b` ``c``")).toBe("``` a `b` ``c`` ```");
  expect(inlineCode("a`b")).toBe("``a`b``");
  expect(inlineCode("")).toBe("");
});

test("fences a text with more ticks than it has in a row", () => {
  expect(codeBlock("```sh\nrm\n````\n")).toBe("`````text\n```sh\nrm\n````\n`````");
});

test("shows HTML as it is written", () => {
  expect(inHtml(`<a href="x" onclick='y'>&amp;`)).toBe(
    "&lt;a href=&quot;x&quot; onclick=&#39;y&#39;&gt;&amp;amp;",
  );
});

test.each<[what: string, text: string, printed: string]>([
  ["a command", "::set-output name=a::b", ": :set-output name=a::b"],
  ["a command after blanks", " \t::add-mask::x", " \t: :add-mask::x"],
  ["a command after a rare blank", "\u00a0\u3000::error::x", "\u00a0\u3000: :error::x"],
  ["a command after an unseen character", "\ufeff\u200b::error::x", "\ufeff\u200b: :error::x"],
  ["a command after a colour", `${esc}[31m::error::x`, `${esc}[31m: :error::x`],
  ["a command on a later line", "a\n::stop-commands::x", "a\n: :stop-commands::x"],
  ["a command after a carriage return", "a\r::error::x", "a\n: :error::x"],
  ["an old command anywhere", "a ##[error]b ###[group]", "a # #[error]b ## #[group]"],
  ["colons within a line", "Rust: std::fmt::Debug", "Rust: std::fmt::Debug"],
])("prints %s so that the runner obeys nothing", (_what, text, printed) => {
  expect(escapeWorkflowCommands(text)).toBe(printed);
});

test("whatever is printed, a runner finds no command in it", () => {
  const piece = fc.constantFrom(
    "::",
    ":",
    "##[",
    "#",
    "[",
    "]",
    " ",
    "\t",
    "\r",
    "\n",
    "\u0085",
    "\u2028",
    esc,
    "[0m",
    "error",
    "\ufeff",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const lines = escapeWorkflowCommands(`${pieces.join("")}::error::x`).split(/[\r\n]/);
      expect(lines.filter((line) => commandIn(line) !== undefined)).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});
