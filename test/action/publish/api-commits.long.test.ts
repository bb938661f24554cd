import { expect, test } from "vitest";
import { commitByApi, signerOf } from "../../../action/publish/api-commits.ts";
import { openWork } from "./work-on-host.ts";

test("GitHub makes the same commits: files of every kind, links and deletions, each on its parent", async () => {
  const { host, base, git, gitDir, github, snapshot } = await openWork();
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

test("the author of commits by a token signs them off", async () => {
  const { github } = await openWork();
  expect(await signerOf(github)).toMatch(
    /^github-actions\[bot\] <\d+\+github-actions\[bot\]@users\.noreply\.github\.com>$/,
  );
});
