import { expect, test } from "vitest";
import { signalled } from "../../src/stops/signal-text.ts";

// What agents print around a signal, with § where it stands. Each shape is tried with each signal below.
const unfinished: Readonly<Record<string, readonly string[]>> = {
  "in a fence": [
    "I added this to the README:\n\n```md\nWhen finished, print:\n§\n```\n\nTwo tests still fail.",
    "~~~\n§\n~~~\nThat is what the script prints at its end.",
    "1. Ran the suite:\n   ```console\n   $ npm test\n   12 failed\n   §\n   ```\n2. Next: fix `parse()`.",
    "````md\n```\n§\n```\n````\nThe example shows a nested fence.",
    "```diff\n-  print('working')\n+  print('§')\n```\nNot run yet.",
    '```json\n{"role":"assistant","content":"§"}\n```\nThis is the recorded session.',
    "```yaml\nprompt: |\n  Fix the tests.\n  §\n```\nThat is the workflow as it stands.",
    "The output was cut off:\n```\nrunning 3 tests\n§\n",
  ],
  "in a quotation": [
    "> Output the tag when all is green.\n> §\n\nFour tests are red.",
    "The task says:\n\n> §\n\nI am not there.",
    "- The rule:\n  > §\n- Status: red.",
    "> > §\n\nquoted twice",
  ],
  "in the prompt, echoed back": [
    "I will print § as soon as the suite is green; now 3 tests fail.",
    "You asked me to end with § when everything passes. It does not pass.",
    "My instructions: fix the tests, then say § and nothing else. Starting.",
    "§ is what I print at the end. Not yet.",
    "The signal § has to wait: the build is broken.",
    "The loop stops on § only, so I go on with the next file.",
    "Printing § now would be wrong, since lint fails.",
    "Goal: § (only if `make check` exits with 0). It exits with 2.",
    "I was told to answer `§` at the end; there is more to do.",
    "To finish, say `§`.",
  ],
  "in a negation": [
    "I will not print § yet.",
    "Tests fail, so I can't say § in good conscience.",
    "It would be dishonest to claim § here.",
    "No § this time: 2 of 40 red.",
    "I cannot output § while CI is red.",
    "I will not print §.",
    "Tests fail, so I don't say §",
    "Three tests are red: no §",
    "It ends without §.",
    "I cannot yet output **§**.",
    "Do not expect § before the fixtures are in place.",
  ],
  "in another language": [
    "Ich gebe § erst aus, wenn alle Tests grün sind.",
    "Je dirai § quand tout passera ; ce n'est pas le cas.",
    "Todavía no puedo escribir § porque fallan dos pruebas.",
    "全部のテストが通ったら § と出力します。",
    "测试还没有通过，所以现在不能输出 § 这个标记。",
    "Ещё рано писать § — три теста падают.",
  ],
  "in the output of a tool": [
    "$ grep -rn promise .\nprompt.md:4:Say § at the end\nloop.yml:9: until: DONE # or give up",
    "$ grep -n promise docs/end.md\ndocs/end.md:12:§\nTwo tests are red.",
    "diff --git a/end.md b/end.md\n@@ -1,2 +1,3 @@\n # End\n+§\n-none\n\nThis is what I changed; the suite is red.",
    "[12:04:11] assistant: § was found in the old log, see above",
    'tool_result: {"stdout": "§", "exit": 1}',
    "<!-- §\n-->\nleft in the template",
    "<!-- § -->\nTwo tests are red.",
    "| step | output |\n| --- | --- |\n| 3 | § and then a crash |",
    "echo '§' >> notes.txt   # for later",
    "assert output.endswith('§'), output",
    'Expected: "§", received: "3 failed"',
    "const end = '§'; // never reached",
  ],
  "in a thought": [
    "<think>\nIf it is green I say:\n§\n</think>\nIt is red: 2 failures.",
    "<thinking>§</thinking>\nStill failing.",
    "Then I would print\n§\n</think>\nThe suite fails.",
    "<think>\n§\nand I was cut off",
  ],
};

const signals = ["DONE", "COMPLETE", "ALL TESTS PASS", "fertig", "v1.2-ok"].flatMap((text) => [
  { text, said: `<promise>${text}</promise>` },
  { text, said: `<Promise> ${text} </ promise >` },
]);

const outputs = (table: readonly string[]) =>
  table.flatMap((shape) =>
    signals.map(({ text, said: reply }) => ({ text, raw: shape.replaceAll("§", () => reply) })),
  );

test("there are 300 outputs of agents that are not done", () => {
  expect(outputs(Object.values(unfinished).flat()).length).toBeGreaterThanOrEqual(300);
});

test.each(Object.entries(unfinished))("a signal %s ends no loop", (_, shapes) => {
  const wrong = outputs(shapes).filter(
    ({ raw, text }) => signalled(raw, text, "tag") || signalled(raw, text, "any"),
  );
  expect(wrong.map(({ raw }) => raw)).toEqual([]);
});

test("a signal in parts, escaped, or of another name ends no loop", () => {
  const wrong = [
    "<promise>DONE",
    "DONE</promise>",
    "<promise>DO\nNE</promise>",
    "<promise>DONE?</promise>",
    "<promise>NOT DONE</promise>",
    "<promise>DONE with 3 of 4</promise>",
    "<promise>IN PROGRESS</promise>",
    "<promise></promise> DONE soon",
    "<promise><b>DONE</b></promise>",
    "<promise><promise>WAIT</promise></promise>",
    "&lt;promise&gt;DONE&lt;/promise&gt;",
    "\\u003cpromise\\u003eDONE\\u003c/promise\\u003e",
    "<promise>DONE<\\/promise>",
    "<pr0mise>DONE</pr0mise>",
    "<promise >DONE</promised>",
    "[promise]DONE[/promise]",
    "<promise\n>DON</promise>E",
    "<promise>ＤＯＮＥ</promise>",
    "<promise>D\u200bONE</promise>",
    "<promise>DΟNE</promise>",
  ].filter((raw) => signalled(raw, "DONE", "tag"));
  expect(wrong).toEqual([]);
});

test.each([
  "All 41 tests pass.\n\n§",
  "§",
  "Fixed the parser and ran the suite: green.\n\n**§**\n",
  "```console\n$ npm test\n41 passed\n```\n\n§",
  "> Output the tag when green.\n\nIt is green.\n\n§\n",
  "Alle Tests sind grün.\n§",
  "全てのテストが通りました。\n§",
  "<think>\nGreen at last.\n</think>\n\n§",
  "I did not say § before, as two tests failed. Now all pass.\n\n§",
  "§\n\nSummary: 3 files changed.",
  "@@ -1 +1 @@\n-a\n+b\n\nThat was all that was missing.\n§",
  "Nothing is red, and why not? §",
  "Are any tests red? No\n§",
])("a signal that is meant is recognized: %j", (shape) => {
  expect(outputs([shape]).filter(({ raw, text }) => !signalled(raw, text, "tag"))).toEqual([]);
});
