import { expect, test } from "vitest";
import { openPlayground, runGit } from "./playground.ts";

test("folders that become repositories of their own are named, with a commit or without, as no snapshot has their files", async () => {
  const { top, write, snapshot } = openPlayground({ files: { "a.txt": "a\n" } });
  expect((await snapshot()).nested).toBeUndefined();
  write({ "a.txt": "b\n", "born/x.txt": "x\n", "unborn/y.txt": "y\n" });
  for (const folder of ["born", "unborn"]) runGit(top, "init", "-q", folder);
  runGit(top, "-C", "born", "add", "--all");
  runGit(top, "-C", "born", "commit", "-q", "-m", "first");
  const first = await snapshot();
  expect(first.nested?.toSorted()).toEqual(["born", "unborn"]);
  // What was there before is no news, as far as the snapshot before knows it.
  expect((await snapshot(first.commit)).nested).toEqual(["unborn"]);
});
