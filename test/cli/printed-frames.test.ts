import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loopFile, openFolder } from "../parts/terminal.ts";

const check = `
process.stdout.write("src/a.c:7: the cause\\n");
for (let at = 0; at < 3000; at += 1) process.stdout.write("\\r\\x1b[32m" + "#".repeat(60) + " " + at);
process.stdout.write("\\n");
for (let at = 0; at < 1000; at += 1) console.log("a line of many in the middle of the output", at);
console.log("the end");
process.exitCode = 1;
`;

test("a check's output is shown as a terminal shows it, with its start and its end", async () => {
  const folder = openFolder();
  folder.write({
    "check.js": check,
    "w.yml": loopFile(
      "prompt: $LOOP_CHECK_OUTPUT\ncheck: { baseline: true, clean: off }\nuntil_bash: node check.js\nmax_iterations: 1",
    ),
  });
  const shown = await folder.run("run", "w.yml", "--agent", "command:cat >prompt.txt");
  expect(shown.stderr.match(/#{60}.*/g)).toEqual([`${"#".repeat(60)} 2999`, `${"#".repeat(60)} 2999`]);
  const prompt = readFileSync(join(folder.path, "prompt.txt"), "utf8");
  expect(prompt).toMatch(/^(?:.*\n)?src\/a\.c:7: the cause\n#{60} 2999\na line of many/);
  expect(prompt).toMatch(/\[… \d+ bytes left out …\]\n(?:.*\n)*the end\n?$/);
});

test("tests that a monorepo's tool runs side by side are counted and named with their package", async () => {
  const folder = openFolder();
  const lines = [
    "cache miss, executing 8ff0",
    "✖ adds (1ms)",
    "ℹ tests 1",
    "ℹ pass 0",
    "ℹ fail 1",
    "✖ failing tests:",
    "✖ adds (1ms)",
    "  AssertionError [ERR_ASSERTION]: 1 == 2",
  ];
  const printed = lines.flatMap((line) => [`@x/a:test: ${line}`, `@x/b:test: ${line}`]).join("\n");
  folder.write({
    "printed.txt": `${printed}\n`,
    "w.yml": loopFile("prompt: go\nuntil_bash: cat printed.txt; exit 1\nmax_iterations: 1"),
  });
  const { stderr } = await folder.run("run", "w.yml", "--agent", "command:true");
  expect(stderr).toContain("2 tests failing");
  expect(stderr).toContain("✘ adds (@x/b:test): 1 == 2");
});
