import { describe, expect, test } from "vitest";
import { quotations } from "../../src/stops/quotations.ts";

/** Whether the first X of a text is quoted. */
const isQuoted = (raw: string) => quotations(raw)(raw.indexOf("X"));

describe("what a Markdown text quotes", () => {
  test.each([
    "<think>X",
    "  <think>\nX",
    " <think>a X b</think> no",
    "<thinking>X</thinking>",
    "X\n  </think> no",
    "@@ -1 +1 @@\n+X",
    "```\nX\n```\nmore",
    "<!-- X-->",
    "<!-- some words before X -->",
    "  <!-- X",
    "> X\n",
    "a.ts:12: X",
    "`a` b\nxx `X`",
    "a\nb\nsay `X` d",
    "~~~\nX\n~~~",
    "- ```\nX\n```",
    "1. > X",
    "````\n```\nX\n````",
    "```\nX",
    "<!-- a --> b <!-- X -->",
    "say ``a ` X`` d",
    "@@ -1,2 +1,2 @@ f\n a\n-b\n+X\n",
  ])("includes the X of %j", (raw) => {
    expect(isQuoted(raw)).toBe(true);
  });

  test.each([
    "X says <think>a</think>",
    "+X",
    "```\n<!--\n```\nX",
    "<!---->X",
    "<!-- a -->X <!-- b -->",
    "some <!-- X",
    "xx `X\nb`",
    "a.ts: X",
    "~ X",
    "~~struck~~\nX",
    "a ``b X `c`",
    "```a``` X",
    "@@ X",
    "@@ -1 +1 @@\n-a\n+b\n\nX",
    "> a\nX",
    "so a > X",
  ])("does not include the X of %j", (raw) => {
    expect(isQuoted(raw)).toBe(false);
  });

  test("begins with the first character of a comment", () => {
    expect(quotations("<!-- a -->")(0)).toBe(true);
  });
});
