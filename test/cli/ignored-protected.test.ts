import { execFileSync } from "node:child_process";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Folder, loopFile, openFolder } from "../parts/terminal.ts";

const runId = "ignored-0000aaaa";
const answers = "fixtures/answers.txt";
const old = "an old line\n".repeat(10_000);

/** A project whose protected file is in no commit, because git ignores it. */
function openProject(): Folder {
  const folder = openFolder();
  folder.write({
    ".gitignore": "fixtures/\n",
    [answers]: old,
    "w.yml": loopFile(
      `prompt: go\nprotect: [${answers}]\nuntil_bash: grep -q new ${answers}\nmax_iterations: 1`,
    ),
  });
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder.path });
  git("add", "--all");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "loop");
  return folder;
}

const bodyOf = ({ path }: Folder) => readFileSync(join(path, answers), "utf8");

test("a protected file that git ignores has its old bytes again, whatever its size", async () => {
  const folder = openProject();
  const replacing = `rm ${answers}; echo new > ${answers}`;
  const agent = `command:if [ -e second ]; then ${replacing}; else touch second; echo new >> ${answers}; fi; echo ok`;
  const { code, stderr } = await folder.run("run", "w.yml", "--agent", agent, "--run-id", runId);
  expect(code, stderr).toBe(1);
  expect(bodyOf(folder)).toBe(old);
  // Also for a process that did not see the start.
  const resumed = await folder.run("resume", runId, "--more-iterations", "1");
  expect(resumed.code, resumed.stderr).toBe(1);
  expect(resumed.stderr + resumed.stdout).toContain(answers);
  expect(bodyOf(folder)).toBe(old);
});

test("one that is too large to be copied is named before the first call, and a change ends the run", async () => {
  const folder = openProject();
  const large = join(folder.path, answers);
  writeFileSync(large, "");
  truncateSync(large, 65 * 2 ** 20);
  const agent = `command:printf new | dd of=${answers} conv=notrunc status=none; echo ok`;
  const { code, events } = await folder.run("run", "w.yml", "--json", "--agent", agent);
  expect(code).toBe(1);
  const kinds = events.map((event) => (event.type === "notice" ? event.code : event.type));
  expect(kinds.indexOf("PROTECTED_NOT_COPIED")).toBeGreaterThan(0);
  expect(kinds.indexOf("PROTECTED_NOT_COPIED")).toBeLessThan(kinds.indexOf("agent.asked"));
  expect(events.at(-1)).toMatchObject({
    stop_reason: "tampered",
    because: expect.stringContaining(answers),
  });
});
