import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitWorkspace } from "../../src/workspace/workspace.ts";
import { openPlayground, runGit } from "./playground.ts";

const guard = { scripts: ["npm test"], allow: [], tests: true };

test("a clone gets ignored files and submodules that nothing has touched since before the agent", async () => {
  const { root, top, write } = openPlayground({ files: { ".gitignore": ".env\nbuild/\nlinks/\n" } });
  const outside = openPlayground({ files: { "word.txt": "Hello\n" } });
  runGit(top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", outside.top, "sub");
  write({
    ".env": "A=1\n",
    "build/a.o": "a\n",
    "build/run.sh": `exec ${top}/build/a.o\n`,
    "build/old.db": "old\n",
    "links/x": "",
  });
  symlinkSync(join(top, "src"), join(top, "links/into"));
  symlinkSync("x", join(top, "links/beside"));

  const keeper = gitWorkspace({ privateDir: (runId) => join(root, "private", runId) });
  const context = { runId: "run-0001", workspace: top, signal: AbortSignal.timeout(20_000) };
  const { commit = "" } = await keeper.handle({ op: "snapshot", since: undefined, message: "base" }, context);
  await keeper.handle({ op: "inspect", commit, globs: [], guard }, context);
  writeFileSync(join(top, "build/old.db"), "new\n");
  writeFileSync(join(top, "build/new.db"), "new\n");

  const plain = { commit, base: commit, parent: join(root, "clone"), guard };
  const { workspace, copied } = await keeper.clone({ ...plain, untouched: true }, context);
  expect(copied).toEqual([".env", "build/a.o", "links/beside", "links/x", "sub/word.txt"]);
  expect(copied?.every((path) => existsSync(join(workspace, path)))).toBe(true);

  // Another process cannot know what was touched.
  const later = gitWorkspace({ privateDir: (runId) => join(root, "later", runId) });
  const other = await later.handle({ op: "snapshot", since: undefined, message: "base" }, context);
  const request = {
    ...plain,
    commit: other.commit ?? "",
    base: other.commit ?? "",
    untouched: true,
  } as const;
  const again = await later.clone({ ...request, parent: join(root, "other") }, context);
  expect(again.copied).toEqual([]);
});
