import { expect, test } from "vitest";
import { loopFile, openFolder } from "../parts/terminal.ts";

test("a run whose agent removes .git ends as tampered, and keeps its log elsewhere", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": loopFile("prompt: go\nuntil_bash: test -e done\nmax_iterations: 5") });
  const agent = "command:rm -rf .git; echo worked";
  // Behind the file wall the log stays where it is.
  const args = ["--agent", agent, "--run-id", "lost-0000aaaa", "--isolation", "off"];
  const lost = await folder.run("run", "w.yml", ...args);
  expect(lost.code).toBe(1);
  const [, place = ""] =
    /until-green logs lost-0000aaaa --store (dir:\S+)/.exec(lost.stdout + lost.stderr) ?? [];
  expect(place).toMatch(/^dir:\//);
  const log = await folder.run("logs", "lost-0000aaaa", "--store", place);
  expect(log).toMatchObject({ code: 0, stdout: expect.stringContaining("worked") });
});
