import { expect, test } from "vitest";
import type { RunEvent } from "../../src/engine/run-events.ts";
import { loopFile, openFolder } from "../parts/terminal.ts";

test.each([
  ["node:test", `echo "# fail $bad"`],
  ["Mocha", `echo "  $bad failing"`],
  ["Jest", `echo "Tests: $bad failed"`],
  ["pytest", `echo "$bad failed in 0.1s"`],
  ["pytest between bars", `echo "==== $bad failed in 0.1s ===="`],
  ["Playwright", `echo "  $bad failed"`],
  ["AVA", `echo "  $bad tests failed"`],
  ["a linter", `if [ $bad -gt 0 ]; then echo "✖ $bad problems"; fi`],
  ["AVA, only if red", `if [ $bad -gt 0 ]; then echo "  $bad test failed"; fi`],
  [
    "karma's reporter for Mocha, only if red",
    `if [ $bad -gt 0 ]; then printf 'SUMMARY:\\n✖ %s test failed\\n' $bad; fi`,
  ],
])("a check that prints only how many failed, in the words of %s, is green at once", async (_tool, print) => {
  const folder = openFolder();
  const check = `bad=$(cat bad); ${print}; test "$bad" = 0`;
  folder.write({
    bad: "1\n",
    "w.yml": loopFile(
      `prompt: go\nmax_iterations: 2\ncheck: { baseline: true }\nuntil_bash: ${JSON.stringify(check)}`,
    ),
  });
  const { code, events } = await folder.run(
    "run",
    "w.yml",
    "--json",
    "--agent",
    "command:cat >/dev/null; echo 0 > bad",
  );
  expect(verdicts(events)).toEqual(["go-on: exit 1", "done: exit 0"]);
  expect(code).toBe(0);
});

const summary =
  'if [ -f fixed ]; then printf "# pass 2\\n# fail 0\\n"; else printf "# pass 1\\n# fail 1\\n"; fi';
const untilFixed = "command:cat >/dev/null; touch fixed";
const failing = "go-on: it passed, but 1 test failed";

test.each([
  [
    "in a loop without a baseline",
    ["--prompt", "go"],
    "command:cat >/dev/null; [ ! -f once ] || touch fixed; touch once",
  ],
  ["in the baseline", [], untilFixed],
])(
  "failed tests that the output counts are not green %s, although the exit code is 0",
  async (_where, args, agent) => {
    const folder = openFolder();
    const { code, events } = await folder.run(
      "run",
      ...args,
      "--until-bash",
      summary,
      "--agent",
      agent,
      "--json",
    );
    expect(verdicts(events)).toEqual([failing, "done: exit 0"]);
    expect(code).toBe(0);
  },
);

test("failed tests that the output counts are green if the author accepts every exit code of 0", async () => {
  const folder = openFolder();
  folder.write({
    "w.yml": loopFile(
      `prompt: go\nmax_iterations: 2\ncheck: { tests: any }\nuntil_bash: ${JSON.stringify(summary)}`,
    ),
  });
  const { code, events } = await folder.run("run", "w.yml", "--json", "--agent", "command:true");
  expect(verdicts(events)).toEqual(["done: exit 0"]);
  expect(code).toBe(0);
});

const verdicts = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === "stop.tested" ? [`${event.verdict}: ${event.because}`] : []));
