import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { bareRepository } from "../../src/git/bare-repository.ts";
import { writeCommit } from "../../src/git/objects.ts";
import { BadStoreNameError } from "../../src/ports/store.ts";
import { type BundleOptions, bundleStore } from "../../src/stores/bundle.ts";
import { addAlternates } from "../../src/stores/git/work-ref.ts";

const run = "run-001";

function open() {
  const top = mkdtempSync(join(tmpdir(), "bundle-file-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 3 }));
  const file = join(top, "out/run.bundle");
  const heads = () =>
    existsSync(file)
      ? [
          ...execFileSync("git", ["bundle", "list-heads", file], { encoding: "utf8" }).matchAll(/refs\S+/g),
        ].map(String)
      : undefined;
  /** A machine of its own, which may be given the file. */
  const at = (more: Partial<BundleOptions> = {}) =>
    bundleStore({
      ...{ file: "out/run.bundle", cwd: top },
      environment: { PATH: process.env["PATH"], RUNNER_TEMP: mkdtempSync(join(top, "machine-")) },
      ...more,
    });
  return { top, file, heads, at };
}
const state = `refs/until-green/${run}/state`;

test("the file is written when a run is not held, is flushed, or is released", async () => {
  const { file, heads, at, top } = open();
  const store = at();
  const release = await store.hold(run);
  await store.append(run, 0, ["a"]);
  expect(heads()).toBeUndefined();
  await store.flush?.(run);
  expect(heads()).toEqual([state]);
  expect(await at().read(run)).toEqual(["a"]);
  await store.append(run, 1, ["b"]);
  expect(await at().read(run)).toEqual(["a"]);
  await release();
  expect(await at().read(run)).toEqual(["a", "b"]);
  await store.append(run, 2, ["c"]);
  expect(await at().read(run)).toEqual(["a", "b", "c"]);
  rmSync(file);
  await release();
  expect(existsSync(file)).toBe(false);
  await store.append("run-002", 0, ["x"]);
  expect(heads()).toEqual([state, "refs/until-green/run-002/state"]);
  expect(readdirSync(join(top, "out"))).toEqual(["run.bundle"]);
});

test("while a run is held, the file is written again every ten seconds", async () => {
  const { at } = open();
  const now = performance.now.bind(performance);
  let shift = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now() + shift);
  onTestFinished(() => void vi.restoreAllMocks());
  const store = at();
  const release = await store.hold(run);
  await store.append(run, 0, ["a"]);
  shift = 10_001;
  await store.append(run, 1, ["b"]);
  expect(await at().read(run)).toEqual(["a", "b"]);
  await store.append(run, 2, ["c"]);
  expect(await at().read(run)).toEqual(["a", "b"]);
  await release();
});

test("whatever is asked first of a store, the file is read before", async () => {
  const { at } = open();
  const store = at();
  await store.read(run);
  store.describe?.(run, { a: 1 });
  await store.append(run, 0, ["a"]);
  expect(await at().preview?.(run)).toEqual(["a"]);
  expect(await at().status?.(run)).toEqual({ a: 1 });
  expect(await at().survey?.()).toEqual([{ a: 1 }]);
  expect(await at().readMany?.([run])).toEqual(new Map([[run, { status: { a: 1 } }]]));
  expect(await at().list()).toEqual([run]);
  const held = at();
  const release = await held.hold(run);
  await held.append(run, 1, ["b"]);
  await release();
  expect(await at().read(run, 1)).toEqual(["b"]);
  expect(existsSync(await at().artifacts(run))).toBe(true);
});

test("runs that are deleted leave the file", async () => {
  const { heads, at } = open();
  const store = at();
  await store.append("run-002", 0, ["x"]);
  await store.read(run);
  store.describe?.(run, { summary: { state: "ended", endedAt: "2026-01-01T00:00:00Z" } });
  await store.append(run, 0, ["a"]);
  const other = at();
  expect(await other.prune?.({ endedBefore: "2026-01-02T00:00:00Z", most: 100 })).toEqual([run]);
  expect(heads()).toEqual(["refs/until-green/run-002/state"]);
});

test("the last run that is deleted leaves no file from which it would come back", async () => {
  const { heads, at } = open();
  const store = at();
  await store.read(run);
  store.describe?.(run, { summary: { state: "ended", endedAt: "2026-01-01T00:00:00Z" } });
  await store.append(run, 0, ["a"]);
  expect(await at().prune?.({ endedBefore: "2026-01-01T00:00:00Z", most: 100 })).toEqual([]);
  expect(heads()).toEqual([state]);
  expect(await at().prune?.({ endedBefore: "2026-01-02T00:00:00Z", most: 100 })).toEqual([run]);
  expect([heads(), await at().list()]).toEqual([undefined, []]);
});

test("a bundle of something else is left alone", async () => {
  const { file, at } = await openCheckout();
  mkdirSync(join(file, ".."));
  execFileSync("git", ["-C", join(file, "../../one"), "bundle", "create", "--quiet", file, "HEAD"]);
  expect(await at().prune?.({ endedBefore: "2026-01-02T00:00:00Z", most: 0 })).toEqual([]);
  expect(existsSync(file)).toBe(true);
});

test("a run without lines makes no file", async () => {
  const { heads, at } = open();
  const store = at();
  await (await store.hold(run))();
  expect([heads(), await store.list()]).toEqual([undefined, []]);
});

/** A checkout with a commit, and a run that began with a snapshot on it. */
async function openCheckout() {
  const it = open();
  const checkoutAt = (name: string) => {
    const path = join(it.top, name);
    mkdirSync(path);
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-C", path, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        encoding: "utf8",
      }).trim();
    git("init", "--quiet");
    const gitDir = join(path, ".git");
    const checkout = { gitDir, objects: join(gitDir, "objects"), format: "sha1" } as const;
    return { path, git, checkout };
  };
  const one = checkoutAt("one");
  one.git("commit", "--quiet", "--allow-empty", "--message", "base");
  const base = one.git("rev-parse", "HEAD");
  const snapshots = bareRepository(it.top, "snapshots.git", "sha1");
  const work = writeCommit(snapshots, "sha1", { tree: {}, parents: [base], message: "work" });
  await addAlternates(snapshots, [one.checkout.objects]);
  const at = ({ path, checkout } = one) =>
    it.at({ file: it.file, cwd: path, checkout, snapshots: () => snapshots });
  return { ...it, checkoutAt, one, base, work, at };
}

test("a file has no history of the checkout, and is read in a checkout of the same commit only", async () => {
  const { file, heads, checkoutAt, one, base, work, at } = await openCheckout();
  const store = at(one);
  const release = await store.hold(run);
  store.work?.keep(run, work);
  await store.append(run, 0, ["a"]);
  await release();
  expect(heads()).toEqual([state, `refs/until-green/${run}/work`]);
  expect(
    execFileSync("git", ["-C", one.path, "bundle", "verify", file], { encoding: "utf8", stdio: "pipe" }),
  ).toContain(base);
  expect(await at(one).read(run)).toEqual(["a"]);
  const two = checkoutAt("two");
  const why = "its runs started from a different commit than the checkout: check out that commit";
  await expect(at(two).read(run)).rejects.toThrow(
    new BadStoreNameError(`--store bundle:${file} cannot be read: ${why}`),
  );
});

test("a checkout without a commit keeps runs too", async () => {
  const { checkoutAt, at, heads } = await openCheckout();
  await at(checkoutAt("empty")).append(run, 0, ["a"]);
  expect(heads()).toEqual([state]);
});

test("a file that is damaged behind its head is refused with git's reason", async () => {
  const { file, at } = open();
  mkdirSync(join(file, ".."));
  writeFileSync(file, "# v2 git bundle\n");
  appendFileSync(file, "odd\n");
  await expect(at().read(run)).rejects.toThrow(new RegExp(`^--store bundle:${file} cannot be read: .*\\S$`));
});
