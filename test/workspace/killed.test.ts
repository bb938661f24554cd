import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { gitWorkspace } from "../../src/workspace/workspace.ts";
import { openPlayground } from "./playground.ts";

test.runIf(existsSync("/proc"))(
  "ends a git whose until-green was killed before it takes the lock away, as that one would replace the index",
  async () => {
    const { snapshot, root, top } = openPlayground({ files: { "a.txt": "a" } });
    await snapshot();
    const store = join(root, "private/run-0001/snapshots.git");
    const [index = ""] = readdirSync(store).filter((name) => /^index-\w+$/.test(name));
    // A process of nobody's that holds the lock until its input ends.
    const orphan = "{ sleep 300 | git update-index --index-info; } > /dev/null 2>&1 &";
    spawnSync("sh", ["-c", orphan], {
      env: { ...process.env, GIT_DIR: store, GIT_INDEX_FILE: join(store, index) },
    });
    const isLocked = () => existsSync(join(store, `${index}.lock`));
    await vi.waitUntil(isLocked, { timeout: 20_000 });
    const again = gitWorkspace({ privateDir: (runId) => join(root, "private", runId) });
    const context = { runId: "run-0001", workspace: top, signal: AbortSignal.timeout(20_000) };
    await again.handle({ op: "snapshot", since: undefined, message: "" }, context);
    const left = readdirSync("/proc").filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`GIT_DIR=${store}\0`);
      } catch {
        return false;
      }
    });
    expect(left).toEqual([]);
  },
);

test("makes its repository again if a kill left a part of it, also settings that git refuses to set again", async () => {
  const { top, root, git } = openPlayground({ files: { "a.txt": "a" } });
  git("config", "core.fileMode", "true");
  const privateDir = (runId: string) => join(root, "private", runId);
  const context = { runId: "run-0001", workspace: top, signal: AbortSignal.timeout(20_000) };
  const store = join(privateDir("run-0001"), "snapshots.git");
  const snapshot = () =>
    gitWorkspace({ privateDir }).handle({ op: "snapshot", since: undefined, message: "" }, context);
  const { commit } = await snapshot();
  // As it is before its last file is written.
  rmSync(join(store, "until-green-ready"));
  const again = await snapshot();
  expect([commit, again.commit]).toEqual([expect.any(String), expect.any(String)]);
  expect(readdirSync(privateDir("run-0001"))).toEqual([".gitignore", "snapshots.git"]);
});

/** What a power cut makes of files that were not synced. */
const cuts: readonly (readonly [what: string, lost: RegExp, content: (size: number) => Buffer])[] = [
  ["an empty index", /^index-\w{16}$/, () => Buffer.of()],
  ["an index of zeros", /^index-\w{16}$/, (size) => Buffer.alloc(size)],
  ["empty objects", /^objects\/\w\w\/\w{38}$/, () => Buffer.of()],
];

test.each(cuts)("takes a whole snapshot where a power cut left %s", async (_, lost, content) => {
  const { top, root, write, kept } = openPlayground({ files: { "a.txt": "a\n" } });
  write({ "b.txt": "b\n" });
  // Older than the index: git takes it for stored.
  utimesSync(join(top, "b.txt"), 1e9, 1e9);
  const privateDir = (runId: string) => join(root, "private", runId);
  const context = { runId: "run-0001", workspace: top, signal: AbortSignal.timeout(20_000) };
  const snapshot = (since?: string) =>
    gitWorkspace({ privateDir }).handle({ op: "snapshot", since, message: "" }, context);
  const before = await snapshot();
  const store = join(privateDir("run-0001"), "snapshots.git");
  const files = readdirSync(store, { recursive: true, encoding: "utf8" }).filter((path) => lost.test(path));
  expect(files.length).toBeGreaterThan(0);
  for (const path of files) {
    chmodSync(join(store, path), 0o600);
    writeFileSync(join(store, path), content(readFileSync(join(store, path)).length));
  }
  const { commit, tree } = await snapshot();
  expect(tree).toBe(before.tree);
  expect(kept("show", `${commit}:b.txt`)).toBe("b\n");
});
