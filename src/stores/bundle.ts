import { closeSync, existsSync, openSync, readSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { bareRepository } from "../git/bare-repository.ts";
import { git } from "../git/git.ts";
import { BadStoreNameError, type LogStore } from "../ports/store.ts";
import { lock } from "../processes/lock.ts";
import { makeFolder } from "../processes/make-folder.ts";
import { folderOf, type GitRefOptions } from "./git/open-run.ts";
import { spaces } from "./git/run-refs.ts";
import { addAlternates } from "./git/work-ref.ts";
import { gitRefStore } from "./git-ref.ts";

export interface BundleOptions extends Omit<GitRefOptions, "remote"> {
  /** The bundle file; created with the first lines. */
  readonly file: string;
}

/** How often the file is rewritten while a run is locked. */
const writeMs = 10_000;

/**
 * Keeps runs in one file instead of at a git host: a job without write permission passes it to one that has it. The
 * file is a `git bundle` of the refs of all runs. It does not contain the checkout's history, so it can only be read in
 * a checkout of the same commit.
 */
export function bundleStore(options: BundleOptions): LogStore {
  const file = resolve(options.cwd, options.file);
  const dir = folderOf(options, { name: `bundle:${file}` });
  const hub = join(dir, "hub.git");
  const store = gitRefStore({
    rhythm: { pushMs: 1_000, lookMs: 0 },
    ...options,
    remote: hub,
    copyOf: "origin",
  });
  const held = new Set<string>();
  let written = performance.now();
  let opening: Promise<void> | undefined;
  const open = () => {
    opening ??= openHub({ ...options, file }, dir);
    return opening;
  };
  const save = async () => {
    const hasRuns = await writeBundle({ hub, file });
    written = performance.now();
    return hasRuns;
  };
  const flush = async (runId: string) => {
    await store.flush?.(runId);
    await save();
  };
  return {
    ...store,
    flush,
    read: (runId, after) => open().then(() => store.read(runId, after)),
    preview: (runId) => open().then(async () => (await store.preview?.(runId)) ?? []),
    status: (runId) => open().then(() => store.status?.(runId)),
    readMany: (runIds) => open().then(async () => (await store.readMany?.(runIds)) ?? new Map()),
    survey: () => open().then(async () => (await store.survey?.()) ?? []),
    list: () => open().then(() => store.list()),
    async prune(retention) {
      await open();
      const gone = (await store.prune?.(retention)) ?? [];
      // Git makes no bundle without refs, and the old one still has the deleted runs.
      if (!(await save()) && gone.length > 0) rmSync(file, { force: true });
      return gone;
    },
    artifacts: (runId) => open().then(() => store.artifacts(runId)),
    async append(runId, after, lines) {
      await open();
      await store.append(runId, after, lines);
      if (!held.has(runId)) await save();
      else if (performance.now() - written > writeMs) await flush(runId);
    },
    async hold(runId) {
      await open();
      const release = await store.hold(runId);
      held.add(runId);
      return async () => {
        await release();
        if (held.delete(runId)) await save();
      };
    },
  };
}

/** Opens this machine's repository with the refs in the file. */
async function openHub(options: BundleOptions, dir: string): Promise<void> {
  const { cwd, file, checkout } = options;
  const hub = bareRepository(dir, "hub.git", checkout?.format ?? "sha1");
  await addAlternates(hub, checkout === undefined ? [] : [checkout.objects]);
  const { out } = await git({ cwd, args: ["rev-parse", "--verify", "--quiet", "HEAD"], accept: [0, 1, 128] });
  // Git rejects objects that no ref reaches.
  if (checkout !== undefined && out.trim() !== "")
    await git({ cwd: hub, args: ["update-ref", base, out.trim()] });
  if (!existsSync(file)) return;
  if (!isBundle(file))
    throw new BadStoreNameError(`--store bundle:${file} cannot be read: it is no git bundle`);
  const refs = spaces.map((space) => `+${space}/*:${space}/*`);
  const fetch = ["fetch", "--quiet", "--no-write-fetch-head", "--no-tags", file, ...refs];
  const { code, err } = await git({ cwd: hub, args: fetch, protocols: "file", accept: [0, 1, 128] });
  if (code === 0) return;
  const why = /prerequisite/i.test(err)
    ? "its runs started from a different commit than the checkout: check out that commit"
    : (err.trim().split("\n").at(-1) ?? "");
  throw new BadStoreNameError(`--store bundle:${file} cannot be read: ${why}`);
}

function isBundle(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const head = Buffer.alloc(16);
    readSync(file, head);
    return /^# v\d+ git bundle/.test(head.toString("latin1"));
  } catch {
    return false; // it is a folder
  } finally {
    closeSync(file);
  }
}

const base = "refs/base";

/** Writes the file again; `false` if there is no run to write. */
async function writeBundle({ hub, file }: { readonly hub: string; readonly file: string }): Promise<boolean> {
  makeFolder(dirname(file));
  const release = await lock(join(hub, "bundle.lock"));
  try {
    const refs = spaces.map((space) => `--glob=${space}`);
    const known = (await git({ cwd: hub, args: ["for-each-ref", base, ...spaces] })).out;
    if (!known.includes("until-green")) return false;
    const without = known.includes(base) ? [`^${base}`] : [];
    const part = `${file}.part`;
    await git({ cwd: hub, args: ["bundle", "create", "--quiet", part, ...refs, ...without] });
    renameSync(part, file);
    return true;
  } finally {
    release();
  }
}
