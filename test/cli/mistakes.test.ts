import { expect, test } from "vitest";
import { openFolder } from "../parts/terminal.ts";

const good = `name: x
nodes:
  - id: fix
    loop:
      prompt: Fix it.
      until_bash: npm test
      max_iterations: 3
`;
const with_ = (from: string, to: string) => good.replace(from, to);
const two = (first: string, second: string) => `name: x
nodes:
  - id: a
    ${first}
  - id: b
    ${second}
`;

/** A file with a mistake, and what must be said of it: place, message, remedy. */
const mistakes: Readonly<Record<string, readonly [file: string, says: string, remedy: string]>> = {
  "a mistyped key": [
    with_("max_iterations", "max_iteration"),
    "7:7 error UNKNOWN_FIELD `max_iteration` is not a key of `nodes[0].loop`.",
    "Did you mean `max_iterations`?",
  ],
  "a value of the wrong type": [
    with_("3", "many"),
    "7:23 error LOOP_MAX_RANGE `max_iterations` must be a whole number from 1 to 10000.",
    "Write `max_iterations: 10`, for example.",
  ],
  "no max_iterations": [
    with_("      max_iterations: 3\n", ""),
    "4:5 error LOOP_MAX_MISSING A loop needs `max_iterations`.",
    "Add `max_iterations: 10`, for example.",
  ],
  "a cycle": [
    two("depends_on: [b]\n    bash: a", "depends_on: [a]\n    bash: b"),
    "4:17 error CYCLE These nodes wait for each other: a → b → a.",
    "Remove one of these from its `depends_on`.",
  ],
  "an unknown node in a text": [
    two("bash: a", "prompt: Use $before.output"),
    "6:17 error UNKNOWN_REFERENCE There is no node `before`.",
    "The nodes here: a.",
  ],
  "an expression that is not CEL": [
    with_("until_bash: npm test", "until_expr: iteration.. > 2"),
    "6:28 error BAD_EXPRESSION This is not a valid CEL expression: unexpected `.` after `iteration`.",
    "Between two values, write an operator such as `==`, `&&` or `||`.",
  ],
  "= instead of ==": [
    two("bash: a", "depends_on: [a]\n    when: $a.output = 'yes'\n    bash: b"),
    "7:21 error BAD_EXPRESSION This is not a valid CEL expression: unexpected `=` after `$a.output`.",
    "To compare, write `==`.",
  ],
  "a tab": [
    with_("    loop", "\tloop"),
    "4:1 error BAD_YAML The file is not YAML: tabs are not allowed as indentation.",
    "Indent with spaces.",
  ],
  "an id that is taken": [
    two("bash: a", "bash: b").replace("id: b", "id: a"),
    "5:9 error DUPLICATE_ID The id `a` belongs to another node, on line 3.",
    "Rename one of them.",
  ],
  "a quote that is not closed": [
    with_("Fix it.", '"Fix it.'),
    '5:15 error BAD_YAML This `"` is not closed.',
    'Add the missing `"`.',
  ],
  "an empty file": [
    "",
    "1:1 error BAD_YAML The file is empty.",
    "A workflow has a `name` and `nodes`; `until-green init` writes a first one.",
  ],
  "a binary file": [
    "name\u0000",
    "1:5 error BAD_YAML This is not a text file: it contains a NUL character.",
    "A workflow is YAML, saved as UTF-8.",
  ],
  "a program": [
    "\u007fELF\u0002\u0000",
    "1:6 error BAD_YAML This is not a text file: it contains a NUL character.",
    "A workflow is YAML, saved as UTF-8.",
  ],
  "a file of 2 MB": [
    `# ${"x".repeat(2_000_000)}\n${good}`,
    "1:1 error TOO_LARGE The file is larger than 1 MiB.",
    "Move long prompts to .github/loops/commands/NAME.md, and write `command: NAME`.",
  ],
  "two bodies": [
    with_("Fix it.", "Fix it.\n      command: fix"),
    "6:7 error ONE_KIND A loop repeats one thing; this one has prompt and command.",
    "Keep one of them; several steps belong under `nodes`.",
  ],
  "a mistyped kind": [
    two("bash: a", "aprroval: { message: go on? }"),
    "6:5 error UNKNOWN_FIELD `aprroval` is not a key of `nodes[1]`.",
    "Did you mean `approval`?",
  ],
  "no stop": [
    with_("      until_bash: npm test\n", ""),
    "4:5 error LOOP_NO_STOP This loop has no exit condition.",
    "Add one of until_field, until, until_expr, until_bash, until_condition, until_agent;",
  ],
  "an unknown node in depends_on": [
    two("bash: a", "depends_on: [zzz]\n    bash: b"),
    "6:18 error UNKNOWN_DEPENDENCY `b` depends on `zzz`, which is not a node of this graph.",
    "The other nodes here: a.",
  ],
  "a key that occurs twice": [
    `name: y\n${good}`,
    "2:1 error DUPLICATE_KEY `name` occurs here a second time.",
    "Keep one: the first is on line 1.",
  ],
  "a script that bash cannot parse": [
    with_("npm test", '"if true; then"'),
    "6:19 error BAD_SHELL Bash cannot parse this script: unexpected end of file",
    "Try it with `bash -n`. A word such as `fi`, `done` or a quote may be missing.",
  ],
  "a mistyped $LOOP_ name": [
    with_("Fix it.", "Fix $LOOP_ITERTION."),
    "5:19 warning UNKNOWN_REFERENCE `$LOOP_ITERTION` is not a known name; it stays as written.",
    "Did you mean `$LOOP_ITERATION`?",
  ],
  "max_iterations beside the loop": [
    with_("      max_iterations", "    max_iterations"),
    "7:5 error UNKNOWN_FIELD `max_iterations` is not a key of `nodes[0]`.",
    "`max_iterations` belongs under `loop:`.",
  ],
  "a GitHub workflow": [
    "name: CI\non: push\njobs: {}\n",
    "3:1 error UNKNOWN_DIALECT This is a GitHub Actions workflow, not a loop.",
    "Loops are in .github/loops/ and have `nodes:`; check this file with actionlint.",
  ],
  "a mistyped agent": [
    with_("    loop:", "    agent: claud\n    loop:"),
    "4:12 error UNKNOWN_AGENT There is no agent `claud`.",
    "Did you mean `claude`?",
  ],
  "a time with a unit in words": [
    with_("    loop:", "    timeout: 10 minutes\n    loop:"),
    "4:14 error BAD_VALUE `nodes[0].timeout` must be a duration over zero: milliseconds, or text like 10m.",
    "Write 10m.",
  ],
  "a list at the top": [
    "- id: a\n  bash: a\n",
    "1:1 error BAD_VALUE A workflow file contains a mapping with `name` and `nodes`.",
    "Write `name: x` above the list, and the list under `nodes:`.",
  ],
  "words instead of a workflow": [
    "fix my tests\n",
    "1:1 error BAD_VALUE A workflow file contains a mapping with `name` and `nodes`.",
    "`until-green init` writes a first one.",
  ],
  "a test of the shell that YAML reads as a list": [
    with_("npm test", "[ -f done ]"),
    "6:19 error BAD_VALUE `nodes[0].loop.until_bash` must be text.",
    "One text, not a list: put a text that begins with `[` in quotes; several lines go below a `|`.",
  ],
  "no name": [
    with_("name: x\n", ""),
    "1:1 error MISSING_NAME A workflow needs a `name`.",
    "Add `name: fix-tests` at the top, for example.",
  ],
};

test("check names place, mistake and remedy of each mistake in a file, once", async () => {
  const folder = openFolder({ bare: true });
  const names = Object.keys(mistakes);
  folder.write(
    Object.fromEntries(Object.values(mistakes).map(([file], index) => [`${100 + index}.yml`, file])),
  );
  const { code, stderr } = await folder.run("check", ".");
  const byFile = Map.groupBy(stderr.split(/\n(?! )/), (line) => /^(\d+)\.yml:/.exec(line)?.[1] ?? "");
  expect(code).toBe(2);
  for (const [index, name] of names.entries()) {
    const [, says = "", remedy = ""] = mistakes[name] ?? [];
    const expected = [`${100 + index}.yml:${says}\n    ${remedy}`];
    const cut = byFile.get(`${100 + index}`)?.map((text) => text.slice(0, expected[0]?.length));
    expect({ name, said: cut }).toEqual({ name, said: expected });
  }
});

test("check finds a workflow by name, takes any suffix and folders, and says what there is instead", async () => {
  const folder = openFolder();
  folder.write({ "loop.txt": good });
  expect(await folder.run("check", "loop.txt")).toMatchObject({
    code: 0,
    stderr: "1 file without errors\n",
  });
  expect((await folder.run("check", "missing.yml")).stderr).toMatch(
    /^until-green: there is no file missing\.yml in .*; write one with (npx )?until-green init\n$/,
  );
  folder.write({ ".github/loops/fix-tests.yml": good });
  for (const [named, says] of [
    ["missing.yml", `there is no file missing.yml in ${folder.path}; there is fix-tests`],
    ["fix-test", "there is no workflow fix-test; did you mean fix-tests?"],
  ] as const)
    expect(await folder.run("check", named)).toMatchObject({ code: 2, stderr: `until-green: ${says}\n` });
  for (const named of ["fix-tests", ".github/loops"])
    expect((await folder.run("check", named)).stderr).toBe("1 file without errors\n");
  expect((await folder.run("run", ".github/loops")).stderr).toContain(
    ".github/loops is a folder, and not a workflow",
  );
});
