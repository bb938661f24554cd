import { z } from "zod";

/** Keeps snapshots of the checkout the agents edit, and puts them back. */
export interface Workspace {
  /** Rejects with an error that says what to do where there is no git. */
  handle(request: WorkspaceRequest, context: WorkspaceContext): Promise<WorkspaceAnswer>;
  /** Makes ready what the requests of a run take, so that something else can be put there; the first one does it too. */
  prepare(context: WorkspaceContext): Promise<void>;
}

export type WorkspaceRequest =
  /** A commit of everything not ignored, with what changed since `since`. */
  | { readonly op: "snapshot"; readonly since: string | undefined; readonly message: string }
  /** Puts the paths that match `globs` back as they are in `commit`; says which were not. */
  | { readonly op: "protect"; readonly commit: string; readonly globs: readonly string[] }
  /** Makes the whole checkout equal to `commit`. */
  | { readonly op: "restore"; readonly commit: string }
  /** A separate checkout of the workspace as it is now, for one item of a for-each. */
  | { readonly op: "fork"; readonly name: string }
  /** Brings a fork's changes back into the workspace and removes the fork. */
  | { readonly op: "join"; readonly name: string; readonly from: string };

export interface WorkspaceContext {
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly workspace: string;
}

export const workspaceAnswer = z.strictObject({
  /** The commit made or put back. */
  commit: z.string().exactOptional(),
  /** Its tree: equal trees are equal files. */
  tree: z.string().exactOptional(),
  diff: z
    .strictObject({ files: z.int(), added: z.int(), removed: z.int(), paths: z.array(z.string()).max(50) })
    .exactOptional(),
  /** Changed files that are not in the snapshot, as they hold a key or a token that we know (at most 50). */
  withheld: z.array(z.string()).exactOptional(),
  /** Folders whose files are not in the snapshot, as each is a git repository of its own that is new there (at most 50). */
  nested: z.array(z.string()).exactOptional(),
  /** Protected paths that had been changed and are back (at most 50). */
  restored: z.array(z.string()).exactOptional(),
  /** Where a fork stands; an absolute path. */
  path: z.string().exactOptional(),
  /** Paths a join could not bring back without a conflict. */
  conflicts: z.array(z.string()).exactOptional(),
});

export type WorkspaceAnswer = z.infer<typeof workspaceAnswer>;
