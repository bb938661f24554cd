import { describe, expect, test } from "vitest";
import { signalled, stripSignals } from "../../src/stops/signal-text.ts";
import { endsSoon } from "../parts/ends-soon.ts";

const tag = "<promise>DONE</promise>";

describe("a tag", () => {
  test.each([
    tag,
    `All tests pass.\n\n${tag}\n`,
    `All tests pass. ${tag}`,
    `${tag}\nSome last words.`,
    "<PROMISE>done</Promise>",
    "< promise > DONE </ promise >",
    "<promise>\n  DONE\n</promise>",
    `**${tag}**`,
    `\`${tag}\``,
    `- \`${tag}\`.`,
    `"${tag}".`,
    `<b><i>${tag}</i></b >!`,
    `(${tag})  \r\nmore`,
    `\`\`\`\ncode\n\`\`\`\n${tag}`,
    `Uses \`\`\`inline\`\`\` code.\n${tag}`,
    `<!-- note -->\n${tag}`,
    `<think>\nAm I done?\n</think>\n\n${tag}`,
    `Models think in <think>…</think>.\n${tag}`,
    `${tag}\nIt closes with </think> now.`,
    `A lone <!-- in prose.\n${tag}`,
    `> quoted\n\n${tag}`,
    `I will not output <promise>DONE</promise> yet.\n${tag}`,
    `Ran \`npm test\`: green. ${tag}`,
  ])("counts in %j", (raw) => {
    expect(signalled(raw, "DONE", "tag")).toBe(true);
    expect(signalled(raw, "DONE", "any")).toBe(true);
  });

  test.each([
    `I will output ${tag} only when all tests pass.`,
    `${tag} is what I say at the end`,
    `\`\`\`\n${tag}\n\`\`\`\nmore`,
    `\`\`\`text\n${tag}`,
    `~~~\n\`\`\`\n${tag}\n~~~`,
    `- item\n  \`\`\`\`\n  \`\`\`\n  ${tag}\n  \`\`\`\``,
    `1. \`\`\`\n${tag}\n\`\`\``,
    `> ${tag}`,
    `- > ${tag}`,
    `<!-- ${tag} -->`,
    `<!--\n${tag}\n-->\nmore`,
    `<!--\n${tag}`,
    `<think>\nThen I say:\n${tag}\n</think>\nNot yet.`,
    `<thinking>${tag}</thinking>`,
    `<think>\n${tag}`,
    `First I say:\n${tag}\nNo.\n</think>\nNot yet.`,
    `I will say \`${tag}\`.`,
    `Say \`\`x ${tag}\`\``,
    "<promise>UNDONE</promise>",
    "<promise>DONE soon</promise>",
    "<promise>DONE",
    "DONE</promise>",
    "<promise>DONE</p>",
    "<promises>DONE</promises>",
    "promise>DONE</promise>",
    `${tag} 5 tests left`,
    "",
  ])("does not count in %j", (raw) => {
    expect(signalled(raw, "DONE", "tag")).toBe(false);
  });

  test.each(["a.b*c", "$&", "[x](y)", "C++", "ALL/DONE", "ÄÖÜ", "two words"])("may hold %j", (text) => {
    expect(signalled(`so: <promise>${text}</promise>`, text, "tag")).toBe(true);
    expect(signalled("so: <promise>aXbbc</promise>", text, "tag")).toBe(false);
    expect(stripSignals(`so: <promise>${text}</promise>`, [text])).toBe("so:");
  });
});

describe("a plain signal", () => {
  test.each([
    "DONE",
    "All tests pass. DONE",
    "All tests pass: DONE!\n\n",
    "It is **DONE**.",
    "It is `fixed`.\n`DONE`",
    "DONE\nSome last words.",
    "First.\r\n  DONE  \r\nThen more.",
    "First.\n\u00a0DONE\nThen more",
    "The rest was not done, this is DONE",
    "Nothing left: DONE.",
  ])("counts in %j", (raw) => {
    expect(signalled(raw, "DONE", "any")).toBe(true);
    expect(signalled(raw, "DONE", "tag")).toBe(false);
  });

  test.each([
    "UNDONE",
    "It is UNDONE",
    "It is RE-DONE",
    "It is NOT_DONE",
    "ÜDONE",
    "done",
    "DONE2",
    "I am DONE with one test",
    "The work is NOT DONE.",
    "The work is not yet DONE",
    "It isn't DONE.",
    "It isn’t fully DONE.",
    "It is never DONE",
    "I cannot DONE",
    "It is **not** DONE",
    'It is not "DONE"',
    "```\nDONE\n```\nmore",
    "```\nDONE\n```",
    "> DONE",
    "> DONE\nmore",
    "When finished I say `DONE`",
    "<!--\nDONE\n-->\nmore",
    "<think>\nDONE\n</think>\nmore",
    "DONE: three things",
    "The flag is DONE_",
    "The flag is DONE-",
    "",
  ])("does not count in %j", (raw) => {
    expect(signalled(raw, "DONE", "any")).toBe(false);
  });

  test("may end in punctuation or begin with a bracket", () => {
    expect(signalled("so: DONE!!", "DONE!!", "any")).toBe(true);
    expect(signalled("so: [DONE]", "[DONE]", "any")).toBe(true);
    expect(signalled("so: DONE!", "DONE!!", "any")).toBe(false);
  });
});

describe("stripping", () => {
  test.each([
    [tag, ""],
    [`Fixed it.\n\n${tag}\n`, "Fixed it."],
    ["a <Promise> done </promise> b", "a  b"],
    [`${tag}${tag}x`, "x"],
    [`\`\`\`\n${tag}\n\`\`\``, "```\n\n```"],
    ["Say <promise>OTHER</promise>", "Say <promise>OTHER</promise>"],
    ["It is DONE", "It is DONE"],
    ["a <promise>GAVE_UP</promise>", "a"],
    ["  x  ", "x"],
  ])("turns %j into %j", (raw, output) => {
    expect(stripSignals(raw, ["DONE", "GAVE_UP"])).toBe(output);
  });
});

describe("reading a long message", () => {
  const repeated = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length));

  test.each(["\n", "<a", "<promise>"])("comes to its end for a megabyte of %j", (piece) => {
    const raw = repeated(piece, 2 ** 20);
    for (const text of [raw, `${raw}DONE x`]) {
      expect(endsSoon(() => signalled(text, "DONE", "any"))).toBe(false);
    }
  });

  test.each([
    " ",
    "<promise>\n",
    "<promise> DONE ",
    `${tag} `,
    `${tag}</b>`,
    "DONE ",
    "DONE",
    "DONE\n> ",
    "`DONE` ",
    "```\nDONE\n",
    "<!--\n",
    "<!-- DONE -->\n",
    "`` ` ",
    "!",
    "- ",
  ])("takes no longer than its length allows: %j, again and again", (piece) => {
    const raw = repeated(piece, 2 ** 19);
    for (const text of [raw, `${raw}DONE x`, `${raw}\nDONE`, `DONE${raw}`]) {
      endsSoon(() => [signalled(text, "DONE", "any"), stripSignals(text, ["DONE"])]);
    }
  });
});
