import { describe, expect, test } from "vitest";
import { parseTell } from "../../src/decisions/commands/tell.ts";
import { maxCommentText, parseComment, verbs } from "../../src/decisions/parse-comment.ts";
import { nearestWord } from "../../src/ports/nearest-word.ts";
import { endsSoon } from "../parts/ends-soon.ts";
import { fc } from "../parts/random.ts";

const about = { word: undefined, rest: "", anyway: false, gate: undefined };
const id = "fix-tests-0a1b2c3d";

describe("a command is understood", () => {
  test.each<[string, unknown]>([
    ["/workflow", { kind: "help" }],
    ["/workflow ", { kind: "help" }],
    ["/workflow\nplease", { kind: "help" }],
    ["/workflow help", { kind: "help" }],
    ["/workflow list", { kind: "list" }],
    ["/workflow forget", { kind: "forget", number: undefined }],
    ["/workflow forget 12", { kind: "forget", number: 12 }],
    ["/workflow list everything", { kind: "list" }],
    ["/workflow LIST", { kind: "list" }],
    ["/workflow run fix-tests", { kind: "run", name: "fix-tests", text: "" }],
    ["/workflow run fix-tests only the parser", { kind: "run", name: "fix-tests", text: "only the parser" }],
    [
      "/workflow run fix.yml\nline one\nline two",
      { kind: "run", name: "fix.yml", text: "line one\nline two" },
    ],
    ["/workflow approve", { kind: "approve", ...about, text: "" }],
    ["/workflow  approve\t", { kind: "approve", ...about, text: "" }],
    ["/workflow approve ok go", { kind: "approve", ...about, text: "ok go" }],
    [`/workflow approve ${id}`, { kind: "approve", ...about, word: id, text: id }],
    [
      `/workflow approve ${id} use a map`,
      { kind: "approve", ...about, word: id, text: `${id} use a map`, rest: "use a map" },
    ],
    [
      `/workflow approve ${id}\r\nuse a map\r\n\r\nand a set\r\n`,
      {
        kind: "approve",
        ...about,
        word: id,
        text: `${id}\nuse a map\n\nand a set`,
        rest: "use a map\n\nand a set",
      },
    ],
    ...["`ID`", "'ID'", "<ID>", "(ID)", "ID:", "`ID`,"].map((shown): [string, unknown] => {
      const word = shown.replace("ID", id);
      return [
        `/workflow approve ${word} go`,
        { kind: "approve", ...about, word: id, text: `${word} go`, rest: "go" },
      ];
    }),
    ["/workflow approve\nuse a map", { kind: "approve", ...about, text: "use a map" }],
    [
      "/workflow approve please fix it",
      { kind: "approve", ...about, word: "please", text: "please fix it", rest: "fix it" },
    ],
    [`/workflow approve --anyway ${id}`, { kind: "approve", ...about, word: id, text: id, anyway: true }],
    [
      `/workflow approve ${id} --anyway go`,
      { kind: "approve", ...about, word: id, text: `${id} --anyway go`, rest: "go", anyway: true },
    ],
    [
      `/workflow approve --gate /fix#2 ${id} go`,
      { kind: "approve", ...about, word: id, text: `${id} go`, rest: "go", gate: "/fix#2" },
    ],
    [
      `/workflow approve --gate /${"a".repeat(500)}`,
      { kind: "approve", ...about, text: "", gate: `/${"a".repeat(500)}` },
    ],
    [`/workflow reject --gate=/fix#2`, { kind: "reject", ...about, text: "", gate: "/fix#2" }],
    [`/workflow reject ${id} no`, { kind: "reject", ...about, word: id, text: `${id} no`, rest: "no" }],
    [`/workflow cancel ${id}`, { kind: "cancel", ...about, word: id, text: id }],
    ["/workflow status", { kind: "status", ...about, text: "" }],
    [
      `/workflow tell ${id} fix look at the log`,
      { kind: "tell", ...about, word: id, text: `${id} fix look at the log`, rest: "fix look at the log" },
    ],
    ["/workflow tell fix look", { kind: "tell", ...about, text: "fix look" }],
    // What a reader cannot see is no part of it.
    ["/workflow approve a<!-- rm -rf -->b", { kind: "approve", ...about, text: "ab" }],
    ["/workflow approve a<!-- and\nall that follows", { kind: "approve", ...about, text: "a" }],
    ["/workflow approve a\u202eb\u200bc\u2066d\u0000e\u3164", { kind: "approve", ...about, text: "abcde" }],
    [
      `/workflow approve ${id}\u200b go`,
      { kind: "approve", ...about, word: id, text: `${id} go`, rest: "go" },
    ],
    // What follows the first command is its text, also if it mentions commands.
    [
      "/workflow approve\nsay that /workflow cancel works\n/workflow: a word",
      { kind: "approve", ...about, text: "say that /workflow cancel works\n/workflow: a word" },
    ],
    ["/workflow approve\n/workflow canceled", { kind: "approve", ...about, text: "/workflow canceled" }],
  ])("%j", (body, expected) => {
    expect(parseComment(body)).toEqual(expected);
  });
});

describe("what is not for us is passed over", () => {
  test.each([
    "",
    "hello",
    " /workflow approve",
    "\n/workflow approve",
    "\t/workflow approve",
    "> /workflow approve",
    ">/workflow approve",
    "```\n/workflow approve\n```",
    "~~~\n/workflow approve",
    "`/workflow approve`",
    "    /workflow approve",
    "<!-- /workflow approve -->",
    "<!--\n/workflow approve\n-->",
    "<b>/workflow approve</b>",
    "- /workflow approve",
    "1. /workflow approve",
    "# /workflow approve",
    "**/workflow approve**",
    "please /workflow approve",
    "@bot /workflow approve",
    "looks good\n/workflow approve",
    "/workflows approve",
    "/workflow-run approve",
    "/workflow.approve",
    "/workflow:approve",
    "/workflow/approve",
    "/Workflow approve",
    "/WORKFLOW approve",
    "//workflow approve",
    "\\/workflow approve",
    "&#47;workflow approve",
    "%2Fworkflow approve",
    "\ufeff/workflow approve",
    "\u200b/workflow approve",
    "\u202e/workflow approve",
    "\u2066/workflow approve",
    "/work\u200bflow approve",
    "/work\u00adflow approve",
    "/workflow\u200b approve",
    "/workflow\u00a0approve",
    "/workflow\u2003approve",
    "/wоrkflow approve",
    "\u2044workflow approve",
    "\uff0fworkflow approve",
    "\u0000/workflow approve",
    "\r/workflow approve",
    "workflow approve",
    "/approve",
    "/run fix",
    "- [ ] /workflow approve",
    "|/workflow approve|",
    "[x](/workflow approve)",
    "<details><summary>/workflow approve</summary>",
    "On Monday, somebody wrote:\n> /workflow approve",
    "{{/workflow approve}}",
    "${{ github.token }}",
    "$(/workflow approve)",
  ])("%j", (body) => {
    expect(parseComment(body)).toBeUndefined();
  });
});

describe("a command that is not understood is answered with that", () => {
  test.each<[string, RegExp]>([
    ["/workflow aprove", /did you mean `\/workflow approve`/],
    ["/workflow approved", /did you mean `\/workflow approve`/],
    ["/workflow statu", /did you mean/],
    ["/workflow reject: no", /did you mean `\/workflow reject`/],
    ["/workflow аpprove", /did you mean `\/workflow approve`/],
    ["/workflow destroy", /known are run, approve/],
    ["/workflow $(touch canary)", /no such command/],
    ["/workflow `touch canary`", /no such command/],
    ["/workflow ; rm -rf /", /no such command/],
    ["/workflow && approve", /no such command/],
    ["/workflow ${{ secrets.KEY }}", /no such command/],
    ["/workflow --help", /no such command/],
    ["/workflow -approve", /did you mean/],
    ["/workflow ap\u200bprove", /invisible characters/],
    ["/workflow \u202eevorppa", /invisible characters/],
    ["/workflow \u0000approve", /invisible characters/],
    ["/workflow constructor", /no such command/],
    ["/workflow __proto__", /no such command/],
    ["/workflow toString", /no such command/],
    [`/workflow ${"x".repeat(90)}`, /known are/],
    ["/workflow run", /needs the name/],
    ["/workflow run ../../etc/passwd", /paths are not accepted/],
    ["/workflow run a/b.yml", /paths are not accepted/],
    ["/workflow run -o", /paths are not accepted/],
    ["/workflow run .hidden", /paths are not accepted/],
    ["/workflow run $(id)", /paths are not accepted/],
    ["/workflow run `id`", /paths are not accepted/],
    ["/workflow run ${{x}}", /paths are not accepted/],
    ["/workflow run 'a", /paths are not accepted/],
    [`/workflow run ${"a".repeat(101)}`, /paths are not accepted/],
    ["/workflow run fіx", /paths are not accepted/],
    ["/workflow approve --force", /the options of a command/],
    ["/workflow approve --anywayy", /the options of a command/],
    [`/workflow approve ${id} --yes`, /the options of a command/],
    ["/workflow forget 123", /takes the number of a note/],
    ["/workflow forget that", /takes the number of a note/],
    ["/workflow reject --anyway", /belongs to `approve`/],
    ["/workflow approve --gate", /needs the path of a gate/],
    ["/workflow approve\n/workflow cancel", /room for one command, so none was executed/],
    [`/workflow approve ${id} go\r\n\r\n/workflow APPROVE other-run-1`, /room for one command/],
    ["/workflow list\n/workflow status", /room for one command/],
    ["/workflow run fix\n<!-- x -->/workflow cancel", /room for one command/],
    ["/workflow approve --gate fix", /needs the path of a gate/],
    ["/workflow approve --gate=$(id)", /needs the path of a gate/],
    [`/workflow approve --gate /${"a".repeat(501)}`, /needs the path of a gate/],
  ])("%j", (body, why) => {
    const parsed = parseComment(body);
    expect(parsed).toMatchObject({ unclear: expect.stringMatching(why) });
    // A reply never repeats what a stranger wrote.
    expect(JSON.stringify(parsed)).not.toMatch(/canary|passwd|secrets|xxxx/);
  });
});

test("a run's id of another form is no id", () => {
  for (const word of [
    "../x/y/z",
    "-o-o-o-o",
    "refs/heads/main",
    "ABCDEFGH",
    "short",
    "a".repeat(65),
    "x$(id)y",
  ]) {
    expect(parseComment(`/workflow approve ${word}`)).toMatchObject({ word: undefined, text: word });
  }
});

test("a text longer than is used is cut with a sign that says so", () => {
  const parsed = parseComment(`/workflow approve\n${"é".repeat(65_000)}`);
  const text = (parsed as { text: string }).text;
  expect(text.length).toBeLessThan(maxCommentText + 100);
  expect(text).toMatch(/the rest of the comment is left out …\]$/);
  const most = "é".repeat(maxCommentText);
  expect(parseComment(`/workflow approve\n${most}`)).toMatchObject({ text: most });
});

test("a message needs a step and a text", () => {
  expect(parseTell("fix look\nhere")).toEqual({ step: "fix", text: "look\nhere" });
  expect(parseTell("fix\nlook")).toEqual({ step: "fix", text: "look" });
  expect(parseTell("fix")).toHaveProperty("unclear");
  expect(parseTell("")).toHaveProperty("unclear");
});

test("text before the command makes it no command", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "binary" }), fc.constantFrom(...verbs), (before, verb) => {
      expect(parseComment(`${before}/workflow ${verb}`)).toBeUndefined();
    }),
    { numRuns: 150 },
  );
});

test("any comment is parsed without a throw, in time, and its text contains nothing hidden", () => {
  const part = fc.oneof(
    fc.string({ unit: "binary", maxLength: 50 }),
    fc.constantFrom(
      "<!--",
      "-->",
      "--anyway ",
      "--gate ",
      "\r\n",
      "\u202e",
      id,
      " ",
      "$(id)",
      "`",
      "> ",
      "/workflow ",
    ),
  );
  fc.assert(
    fc.property(fc.constantFrom(...verbs), fc.array(part, { maxLength: 30 }), (verb, parts) => {
      const parsed = parseComment(`/workflow ${verb} ${parts.join("")}`);
      const text = parsed !== undefined && "text" in parsed ? parsed.text : "";
      expect(text).not.toMatch(/(?![\t\n])\p{Cc}|\p{Cf}/u);
      expect(text).not.toContain("<!--");
    }),
    { numRuns: 2_000 },
  );
  for (const evil of ["<!--", "-->", "\r", " ", "\n", "--gate /x ", "<", "-"]) {
    endsSoon(() => parseComment(`/workflow approve ${evil.repeat(2 ** 19 / evil.length)}`));
  }
});

test("plain feedback arrives as it was written", () => {
  const line = fc.stringMatching(/^[A-Za-z][A-Za-z .,$(){}'"]{0,40}[.]$/);
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), (lines) => {
      expect(parseComment(`/workflow approve ${id}\n${lines.join("\r\n")}`)).toMatchObject({
        rest: lines.join("\n"),
      });
    }),
  );
});

test("a word far from all known has no nearest", () => {
  expect(nearestWord("tests", ["test", "fix"])).toBe("test");
  expect(nearestWord("zzzz", ["test", "fix"])).toBeUndefined();
  expect(nearestWord("x".repeat(100_000), ["test"])).toBeUndefined();
});
