import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitByApi, signerOf } from "../../../action/publish/api-commits.ts";
import { publishWork } from "../../../action/publish/publish.ts";
import { openGitHub } from "../../../src/github/client.ts";
import { openWork } from "./work-on-host.ts";

test("GitHub makes the same commits: files of every kind, links and deletions, each on its parent", async () => {
  const { host, base, cwd, git, gitDir, github, snapshot } = await openWork();
  symlinkSync("state.txt", join(cwd, "link"));
  writeFileSync(join(cwd, "run.sh"), "echo\n", { mode: 0o755 });
  const first = await snapshot({
    "src/ü b.txt": "ü\n",
    bytes: Buffer.from([0x61, 0xff]),
    "large.txt": "x".repeat(256 * 1024 + 1),
    "most.txt": "y".repeat(256 * 1024),
    "old.txt": undefined,
  });
  const tip = git(
    "commit-tree",
    `${first}^{tree}`,
    "-p",
    first,
    "-p",
    base,
    "-m",
    "A merge\n\nwith: trailers",
  );
  const made = await commitByApi({ gitDir, tip, known: [base] }, github);
  expect(made.notices).toEqual([]);
  const at = (format: string, commit = made.tip) => host.git.git("log", "-1", `--format=${format}`, commit);
  expect(at("%T")).toBe(git("rev-parse", `${tip}^{tree}`));
  expect(at("%B")).toBe("A merge\n\nwith: trailers");
  const [below = "", other] = at("%P").split(" ");
  expect(other).toBe(base);
  expect(below).not.toBe(first);
  expect(at("%P %T", below)).toBe(`${base} ${git("rev-parse", `${first}^{tree}`)}`);
  expect(host.git.git("ls-tree", "--format=%(objectmode) %(path)", made.tip, "link", "run.sh")).toBe(
    "120000 link\n100755 run.sh",
  );
  // Text up to 256 KiB is sent in the tree: each request counts against the limits.
  const blobs = host.journal.filter(({ path }) => path.endsWith("/git/blobs"));
  expect(blobs).toHaveLength(2);
});

test("nothing is sent that the API could not take, and nothing is published that differs from what was checked", async () => {
  const { host, base, gitDir, github, snapshot } = await openWork();
  const large = await snapshot({ "big.bin": Buffer.alloc(40 * 2 ** 20 + 1) });
  await expect(commitByApi({ gitDir, tip: large, known: [base] }, github)).rejects.toThrow(
    "`commit-mode: api` cannot publish big.bin: it has 41 MiB, and GitHub's API takes at most 40 MiB; remove `commit-mode`, or the file",
  );
  const tip = await snapshot({ "state.txt": "green\n" });
  host.fault(/^POST .*\/git\/trees$/, { status: 201 });
  await expect(commitByApi({ gitDir, tip, known: [base] }, github)).rejects.toThrow(
    "the commit that GitHub made does not contain the files that the checks saw: nothing was published",
  );
});

test("a submodule stays one, at its new commit", async () => {
  const { host, base, git, gitDir, github } = await openWork();
  git("read-tree", base);
  git("update-index", "--add", "--cacheinfo", `160000,${base},app`);
  const tip = git("commit-tree", git("write-tree"), "-p", base, "-m", "snapshot");
  const made = await commitByApi({ gitDir, tip, known: [base] }, github);
  expect(host.git.git("ls-tree", made.tip, "app")).toBe(`160000 commit ${base}\tapp`);
});

test("a name that is not UTF-8 is refused before anything is sent", async () => {
  const { host, base, cwd, gitDir, github, snapshot } = await openWork();
  const first = await snapshot({ "state.txt": "green\n" });
  const name = Buffer.concat([Buffer.from(`${cwd}/caf`), Buffer.from([0xe9])]);
  writeFileSync(name, "x");
  const tip = await snapshot({}, first);
  rmSync(name, { force: true });
  await expect(commitByApi({ gitDir, tip, known: [base] }, github)).rejects.toThrow(
    "`commit-mode: api` cannot publish caf\ufffd: GitHub's API accepts only UTF-8 names, so nothing was published; rename it, or remove `commit-mode`",
  );
  expect(host.journal.filter(({ method }) => method === "POST")).toEqual([]);
});

test("a notice says, once, that GitHub did not sign the commits of a person's token", async () => {
  const { host, snapshot, workOf, settingOf } = await openWork();
  const opener = openGitHub({
    token: host.tokenOf("octocat"),
    repository: host.repository,
    apiUrl: host.url,
    secondMs: 10,
  });
  const iterations = [{ number: 1, snapshot: await snapshot({ "state.txt": "nearly\n" }) }];
  const work = await workOf({ "state.txt": "green\n" }, { iterations });
  const published = await publishWork(work, settingOf({ "commit-mode": "api", squash: "false" }, { opener }));
  expect(host.git.git("rev-list", "--count", "main..work")).toBe("2");
  expect(published?.notices).toEqual(["GitHub did not sign the commit (unsigned)"]);
});

test("the author of commits by a token signs them off", async () => {
  const { github } = await openWork();
  expect(await signerOf(github)).toMatch(
    /^github-actions\[bot\] <\d+\+github-actions\[bot\]@users\.noreply\.github\.com>$/,
  );
});
