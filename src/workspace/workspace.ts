import { realpathSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diskFault, diskFaultIn, withDiskErrors } from "../ports/disk-fault.ts";
import type { Workspace, WorkspaceAnswer, WorkspaceContext, WorkspaceRequest } from "../ports/workspace.ts";
import { makeFolder } from "../processes/make-folder.ts";
import { unlockChanged } from "./changes.ts";
import { type Checkout, openCheckout, readForkBase, takeRemovedPipes, unlockStore } from "./checkout.ts";
import type { Clone, CloneRequest } from "./fork.ts";
import { skipFiltered } from "./kept-back.ts";
import { readPatch, takeSnapshot } from "./snapshot.ts";
import { stageAll, takeStaged } from "./stage.ts";
import { closeOpened, takeMadeReadable } from "./unreadable.ts";

export type { Clone } from "./fork.ts";
export { findRepository, type LocalRepository, whyNoRepository } from "./repository.ts";

export interface GitWorkspaceOptions {
  /** A folder for each run's snapshots and forks, created when needed; an absolute path. */
  privateDir(runId: string): string;
  /** Folders whose changes are left out of snapshots, relative to the checkout's top. */
  readonly leaveOut?: readonly string[];
  /** Values that no snapshot may contain: a file that contains one keeps its earlier version in the snapshot. */
  readonly secrets?: readonly string[];
}

/** A workspace whose snapshots can be cloned on this machine. */
export interface LocalWorkspace extends Workspace {
  clone(request: CloneRequest, context: WorkspaceContext): Promise<Clone>;
}

/**
 * Keeps snapshots of a git checkout in a private repository for each run. Never changes the user's index, HEAD, refs or
 * hooks. Paths in answers are relative to the checkout's top, globs for protected paths to the workspace.
 */
export function gitWorkspace(options: GitWorkspaceOptions): LocalWorkspace {
  const { privateDir, leaveOut = [], secrets = [] } = options;
  const last = new Map<string, Promise<unknown>>();
  // One request at a time: git locks its index, and fails if it is locked.
  const inTurn = async <T>(context: WorkspaceContext, work: (checkout: Checkout) => Promise<T>) => {
    const dir = await withDiskErrors(privateDir(context.runId), () => made(privateDir(context.runId)));
    const perform = () =>
      openCheckout({ ...context, dir, secrets }, skipFiltered)
        .then((checkout) => readingAll(checkout, work))
        .catch(orDiskFault(dir));
    const before = last.get(dir) ?? unlockStore(dir);
    const next = before.then(perform, perform);
    last.set(dir, next);
    return await next;
  };
  return {
    handle: async (request, context) =>
      forPeople(await inTurn(context, (checkout) => answer(checkout, request, leaveOut))),
    prepare: (context) => inTurn(context, async () => undefined),
    clone: (request, context) =>
      inTurn(context, async (checkout) =>
        // The clone is in the temporary folder, which may be on another disk.
        (await forks()).cloneSnapshot(checkout, request).catch(orDiskFault(tmpdir())),
      ),
  };
}

/** Resets at the end what had to be made readable. */
async function readingAll<T>(checkout: Checkout, work: (checkout: Checkout) => Promise<T>): Promise<T> {
  try {
    return await work(checkout);
  } finally {
    await closeOpened(checkout);
  }
}

/** Names that are not UTF-8 get a replacement character for each invalid byte; they are not passed to git again. */
const forPeople = (reply: WorkspaceAnswer): WorkspaceAnswer =>
  JSON.parse(JSON.stringify(reply), (_, value) => (typeof value === "string" ? value.toWellFormed() : value));

/** An error of a full or failing disk must not be blamed on the checkout. Git does not always report it as such. */
const orDiskFault = (dir: string) => async (error: Error) => {
  const fault = diskFault(error, dir) ?? diskFaultIn(error.message, dir);
  throw fault ?? ((await hasRoom(dir)) ? error : diskFault({ code: "ENOSPC" }, dir));
};

const hasRoom = (dir: string) =>
  statfs(dir).then(
    ({ bavail, files, ffree }) => bavail > 0 && (files === 0 || ffree > 0),
    () => true,
  );

/** Loaded on demand: few runs fork a checkout. */
const forks = () => import("./fork.ts");

/** Loaded for the first loop with a check or protected files. */
const protection = () => import("./protect.ts");

/** Git prints real paths, which are compared with this one. */
const made = async (dir: string) => realpathSync.native(makeFolder(dir));

async function answer(
  checkout: Checkout,
  request: WorkspaceRequest,
  leaveOut: readonly string[],
): Promise<WorkspaceAnswer> {
  const staged = await takeStaged(checkout);
  switch (request.op) {
    case "snapshot": {
      const since = request.since ?? (await readForkBase(checkout));
      const taken = await takeSnapshot(checkout, { since, message: request.message, leaveOut, staged });
      const pipes = takeRemovedPipes(checkout).slice(0, 50);
      const unlocked = takeMadeReadable(checkout).slice(0, 50);
      return {
        ...taken,
        ...(pipes.length > 0 && { pipes }),
        ...(unlocked.length > 0 && { unlocked }),
      };
    }
    case "protect":
      return await protect(checkout, request, leaveOut);
    case "inspect":
      return await (await protection()).inspectPaths(checkout, request);
    case "diff":
      return { patch: await readPatch(checkout, request) };
    case "restore":
      return restore(checkout, request.commit);
    case "fork":
      return (await forks()).forkCheckout(checkout, {
        name: request.name,
        since: await readForkBase(checkout),
      });
    case "join":
      return request.closed === undefined
        ? (await forks()).joinFork(checkout, request.name)
        : (await forks()).joinClosed(checkout, { ...request, closed: request.closed });
    case "close":
      return (await forks()).closeFork(checkout, request.name);
  }
}

async function protect(
  checkout: Checkout,
  request: Extract<WorkspaceRequest, { op: "protect" }>,
  leaveOut: readonly string[],
): Promise<WorkspaceAnswer> {
  const { since } = request;
  let changed: string | undefined;
  const save = async () => {
    if (since === undefined) return;
    const message = "before protected files were restored";
    changed = (await takeSnapshot(checkout, { since, message, leaveOut })).commit;
  };
  const restored = [...(await (await protection()).protectPaths(checkout, { ...request, save }))];
  return { restored, ...(restored.length > 0 && changed !== undefined ? { changed } : {}) };
}

async function restore(checkout: Checkout, commit: string): Promise<WorkspaceAnswer> {
  const [{ out }] = await Promise.all([
    checkout.git(["rev-parse", "--verify", `${commit}^{tree}`], { accept: [0, 128] }),
    stageAll(checkout),
  ]);
  await unlockChanged(checkout, commit);
  await checkout.git(["read-tree", "--reset", "-u", commit]);
  makeFolder(join(checkout.top, checkout.prefix));
  return { commit, tree: out.trim() };
}
