import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { platform } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { openPlayground, runGit } from "./playground.ts";

const pipe = (path: string) => {
  mkdirSync(dirname(path), { recursive: true });
  execFileSync("bash", ["-c", 'mkfifo "$0"', path]);
};

/** A name for the case, and what an agent leaves; git waits for each of them. */
const cases: Readonly<Record<string, (play: ReturnType<typeof openPlayground>) => readonly string[]>> = {
  "of ignore rules": ({ top }) => {
    pipe(join(top, ".gitignore"));
    return [".gitignore"];
  },
  "of attributes, in two folders": ({ top, write }) => {
    write({ "d/x": "x\n", "e/f/x": "x\n" });
    for (const folder of ["d", "e/f"]) pipe(join(top, folder, ".gitattributes"));
    return ["d/.gitattributes", "e/f/.gitattributes"];
  },
  "in a nested repository": ({ top }) => {
    pipe(join(top, "sub/.git/HEAD"));
    for (const folder of ["objects", "refs"]) mkdirSync(join(top, "sub/.git", folder));
    return ["sub/.git/HEAD"];
  },
  "behind a link": ({ top, outside }) => {
    runGit(top, "init", "-q", "sub");
    pipe(join(outside, "p"));
    rmSync(join(top, "sub/.git/config"));
    symlinkSync(join(outside, "p"), join(top, "sub/.git/config"));
    return ["sub/.git/config"];
  },
};

test.runIf(platform() === "linux").each(Object.entries(cases))(
  "a snapshot does not wait for a pipe %s: it removes and names it",
  async (_, leave) => {
    const play = openPlayground({ files: { "a.txt": "a\n" } });
    const first = await play.snapshot();
    play.write({ "a.txt": "b\n" });
    const left = leave(play);
    const second = await play.snapshot(first.commit);
    expect(second.pipes?.toSorted()).toEqual(left);
    for (const path of left) expect(existsSync(join(play.top, path))).toBe(false);
    expect(second.diff?.paths).toContain("a.txt");
    expect((await play.snapshot(second.commit)).pipes).toBeUndefined();
  },
);

test("a pipe that git does not open stays", async () => {
  const play = openPlayground({ files: { "a.txt": "a\n" } });
  pipe(join(play.top, "mine"));
  writeFileSync(join(play.top, "a.txt"), "b\n");
  expect((await play.snapshot()).pipes).toBeUndefined();
  expect(existsSync(join(play.top, "mine"))).toBe(true);
});
