import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loopFile, openFolder } from "../parts/terminal.ts";

const runId = "unseen-run";

test("a run whose snapshots are damaged is still reported, and diff and restore say what to do", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": loopFile("prompt: go\nuntil_bash: test -e done\nmax_iterations: 5") });
  const agent = "command:touch done; echo did";
  const { code, stderr } = await folder.run("run", "w.yml", "--agent", agent, "--run-id", runId);
  expect(code, stderr).toBe(0);
  const snapshots = join(folder.path, ".git/until-green/runs", runId, "workspace/snapshots.git");
  for (const name of readdirSync(join(snapshots, "objects")))
    if (name.length === 2) rmSync(join(snapshots, "objects", name), { recursive: true });
  const remedy = `the snapshots of ${runId} may be damaged; put ${snapshots} back from a copy`;
  for (const args of [
    ["diff", runId],
    ["restore", runId, "1"],
  ]) {
    const refused = await folder.run(...args);
    expect(refused, args[0]).toMatchObject({ code: 1, stderr: expect.stringContaining(remedy) });
    expect(refused.stderr).not.toContain("--git-dir");
  }
  const report = await folder.run("report", runId, "--format", "html");
  expect(report, report.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("</html>") });
  const full = await folder.run("report", runId, "--out", "/dev/full");
  expect(full).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no space is left for /dev/full (ENOSPC)"),
  });
});
