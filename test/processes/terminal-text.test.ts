import { expect, test } from "vitest";
import { shownByTerminal, terminalText } from "../../src/processes/terminal-text.ts";
import { fc } from "../parts/random.ts";

const esc = "\u001b";

test.each([
  ["plain text", "a\nb\n", "a\nb\n"],
  ["line ends of Windows", "a\r\nb\r\n", "a\nb\n"],
  ["frames that replace a line", "  1 %\r 50 %\r100 %\ndone\n", "100 %\ndone\n"],
  ["a shorter text over a longer one", "12345\rab\n", "ab345\n"],
  ["a frame that is erased", `loading…\r${esc}[Kdone\n`, "done\n"],
  ["colours", `${esc}[31mred${esc}[0m ${esc}[38;5;9mtoo${esc}(B${esc}[m\n`, "red too\n"],
  [
    "a title and a link",
    `${esc}]0;title\u0007a${esc}]8;;https://example.com${esc}\\b${esc}]8;;${esc}\\\n`,
    "ab\n",
  ],
  ["a spinner of backspaces", "|\b/\b-\b\\\bdone\n", "done\n"],
  ["lines that are drawn again", `web 1 %\ndb 1 %\n${esc}[2Aweb ok \ndb ok \n`, "web ok \ndb ok \n"],
  ["lines that are erased", `a\nb\nc\n${esc}[2A${esc}[Jd\n`, "a\nd\n"],
  ["a column", `name${esc}[10Gok\n`, "name     ok\n"],
  [
    "a screen that is cleared keeps what was on it",
    `fault\n${esc}[2J${esc}[Hwatching\n`,
    "fault\nwatching\n",
  ],
])("%s", (_, printed, shown) => {
  expect(shownByTerminal(printed)).toBe(shown);
});

test("the same is shown however the output arrives", () => {
  const piece = fc.constantFrom(
    "a",
    "bc",
    "\n",
    "\r",
    "\b",
    `${esc}[A`,
    `${esc}[2K`,
    `${esc}[31m`,
    `${esc}]0;t\u0007`,
  );
  fc.assert(
    fc.property(fc.array(piece), fc.integer({ min: 1, max: 5 }), (printed, size) => {
      const all = printed.join("");
      let shown = "";
      const terminal = terminalText((text) => {
        shown += text;
      });
      for (let at = 0; at < all.length; at += size) terminal.push(all.slice(at, at + size));
      terminal.end();
      expect(shown).toBe(shownByTerminal(all));
    }),
  );
});

test("any text without controls stays as it is, also a long one", () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z\n]*$/)), (texts) => {
      let shown = "";
      const terminal = terminalText((text) => {
        shown += text;
      });
      const all = texts.map((text) => text.repeat(90));
      for (const text of all) terminal.push(text);
      terminal.end();
      expect(shown).toBe(all.join(""));
    }),
  );
});
