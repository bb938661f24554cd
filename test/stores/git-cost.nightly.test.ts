import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { gitRefStore } from "../../src/stores/git-ref.ts";
import { gitStoreOptions } from "../../src/stores/git-store-options.ts";
import { findRepository, gitWorkspace } from "../../src/workspace/workspace.ts";
import { openClone, openHost } from "../parts/clones.ts";

/** Counts the git programs that are started from here on. */
function countGit() {
  const folder = mkdtempSync(join(tmpdir(), "counted-git-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const list = join(folder, "list");
  const path = process.env["PATH"] ?? "";
  writeFileSync(
    join(folder, "git"),
    `#!/bin/bash\necho "$*" >> ${list}\nPATH=${JSON.stringify(path)} exec git "$@"\n`,
  );
  chmodSync(join(folder, "git"), 0o755);
  const counted = `${folder}${delimiter}${path}`;
  vi.stubEnv("PATH", counted);
  onTestFinished(() => void vi.unstubAllEnvs());
  return {
    path: counted,
    take() {
      const calls = existsSync(list) ? readFileSync(list, "utf8").trim().split("\n") : [];
      rmSync(list, { force: true });
      return calls;
    },
  };
}

test("a checkpoint with its workspace takes two git processes, and as many bytes late as early", async () => {
  const server = await openHost({ "a.txt": "a\n" });
  const clone = await openClone(server, { depth: 1 });
  const git = countGit();
  const temporary = join(clone.path, "..", "private");
  const privateDir = (run: string) => join(temporary, run);
  const environment = {
    PATH: git.path,
    HOME: temporary,
    RUNNER_TEMP: join(clone.path, ".."),
    GITHUB_SERVER_URL: server.origin,
    GITHUB_TOKEN: server.token,
  };
  const repository = await findRepository(clone.path);
  const place = gitStoreOptions({
    repository,
    privateDir,
    environment,
    secrets: [],
    notice: () => undefined,
  });
  const rhythm = { pushMs: 60_000, lookMs: 60_000 };
  const store = gitRefStore({ ...place, remote: "origin", cwd: clone.path, rhythm });
  const workspace = gitWorkspace({ privateDir });
  const context = { runId: "run-001", workspace: clone.path, signal: AbortSignal.timeout(100_000) };
  const release = await store.hold("run-001");
  let since: string | undefined;
  let lines = 0;
  const sizes: number[] = [];
  const iterate = async () => {
    writeFileSync(join(clone.path, `file-${lines}.txt`), `${lines}\n`);
    const made = await workspace.handle({ op: "snapshot", since, message: "iteration" }, context);
    since = made.commit;
    store.work?.keep("run-001", since ?? "");
    store.describe?.("run-001", { rows: Math.min(lines, 100) });
    await store.append("run-001", lines, [`${lines} ${crypto.randomUUID().repeat(55)}`]);
    lines += 1;
    git.take();
    await store.flush?.("run-001");
    return git.take();
  };
  for (let round = 0; round < 24; round += 1) {
    const calls = await iterate();
    // The host of this test is git too.
    const ours = calls.filter((call) => call !== "http-backend");
    const programs = ours.map((call) => /\b(push|ls-remote|cat-file|merge-base|fetch)\b/.exec(call)?.[1]);
    if (round > 0) expect(programs).toEqual(["push", "ls-remote"]);
    const [, size = "0"] = /^size: (\d+)$/m.exec(server.git("count-objects", "-v")) ?? [];
    const [, packed = "0"] = /^size-pack: (\d+)$/m.exec(server.git("count-objects", "-v")) ?? [];
    sizes.push(Number(size) + Number(packed));
  }
  await release();
  const [early = 0, middle = 0, late = 0] = [sizes[3], sizes[13], sizes[23]];
  expect(late - middle).toBeLessThan(1.3 * (middle - early));
}, 120_000);
