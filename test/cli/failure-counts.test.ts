import { expect, test } from "vitest";
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
  const said = events.flatMap((event) =>
    event.type === "stop.tested" ? [`${event.verdict}: ${event.because}`] : [],
  );
  expect(said).toEqual(["go-on: exit 1", "done: exit 0"]);
  expect(code).toBe(0);
});
