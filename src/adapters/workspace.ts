import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Workspace, WorkspaceAnswer, WorkspaceContext, WorkspaceRequest } from "../ports/workspace.ts";
import { type Checkout, openCheckout, unlockStore } from "./workspace/checkout.ts";
import { forkCheckout, joinFork, readForkBase } from "./workspace/fork.ts";
import { protectPaths } from "./workspace/protect.ts";
import { stageAll, takeSnapshot } from "./workspace/snapshot.ts";

export { findRepository, type Repository, whyNoRepository } from "./workspace/repository.ts";

export interface GitWorkspaceOptions {
  /** A folder for each run's snapshots and forks, made when needed; an absolute path. */
  privateDir(runId: string): string;
  /** Folders whose changes no snapshot takes in, from the checkout's top. */
  readonly leaveOut?: readonly string[];
  /** What no snapshot may hold: a file with one of them in it is left as it was. */
  readonly secrets?: readonly string[];
}

/**
 * Keeps snapshots of a git checkout in a private repository per run. The user's index, HEAD, refs and hooks are never
 * touched. Paths in answers count from the checkout's top, protecting globs from the workspace.
 */
export function gitWorkspace(options: GitWorkspaceOptions): Workspace {
  const { privateDir, leaveOut = [], secrets = [] } = options;
  const last = new Map<string, Promise<unknown>>();
  // one at a time: git locks its index, and gives up where it is locked
  const inTurn = async <T>(context: WorkspaceContext, work: (checkout: Checkout) => Promise<T>) => {
    const dir = await made(privateDir(context.runId));
    const meet = () => openCheckout({ ...context, dir, secrets }).then(work);
    const before = last.get(dir) ?? unlockStore(dir);
    const next = before.then(meet, meet);
    last.set(dir, next);
    return await next;
  };
  return {
    handle: (request, context) => inTurn(context, (checkout) => answer(checkout, request, leaveOut)),
    prepare: (context) => inTurn(context, async () => undefined),
  };
}

async function made(dir: string): Promise<string> {
  await mkdir(dir, { recursive: true });
  // git answers real paths, and they are compared with this one
  return realpath(dir);
}

async function answer(
  checkout: Checkout,
  request: WorkspaceRequest,
  leaveOut: readonly string[],
): Promise<WorkspaceAnswer> {
  switch (request.op) {
    case "snapshot": {
      const since = request.since ?? (await readForkBase(checkout));
      return takeSnapshot(checkout, { since, message: request.message, leaveOut });
    }
    case "protect":
      return { restored: [...(await protectPaths(checkout, request))] };
    case "restore":
      return restore(checkout, request.commit);
    case "fork":
      return forkCheckout(checkout, { name: request.name, since: await readForkBase(checkout) });
    case "join":
      return joinFork(checkout, request.name);
  }
}

async function restore(checkout: Checkout, commit: string): Promise<WorkspaceAnswer> {
  const [{ out }] = await Promise.all([
    checkout.git(["rev-parse", "--verify", `${commit}^{tree}`], { accept: [0, 128] }),
    stageAll(checkout),
  ]);
  await checkout.git(["read-tree", "--reset", "-u", commit]);
  await mkdir(join(checkout.top, checkout.prefix), { recursive: true });
  return { commit, tree: out.trim() };
}
