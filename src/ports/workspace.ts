import { z } from "zod";

/** Takes snapshots of the checkout the agents edit, and restores them. */
export interface Workspace {
  /** Rejects with an error that says what to do if there is no git. */
  handle(request: WorkspaceRequest, context: WorkspaceContext): Promise<WorkspaceAnswer>;
  /** Prepares what a run's requests need, so that other files can be put there; the first request also does it. */
  prepare(context: WorkspaceContext): Promise<void>;
}

export type WorkspaceRequest =
  /** A commit of everything not ignored, with the changes since `since`. */
  | { readonly op: "snapshot"; readonly since: string | undefined; readonly message: string }
  /** Restores the paths that match `globs` from `commit`; returns which had changed. */
  | {
      readonly op: "protect";
      readonly commit: string;
      readonly globs: readonly string[];
      /** Also restores files that the checks' own tools read, and the tests. */
      readonly guard?: CheckGuard;
      /** If something is restored, the workspace is first saved as a commit on top of this one. */
      readonly since?: string;
    }
  /**
   * Records files of the checkout that are not in `commit`, so that `protect` recognizes new ones; call it before any
   * agent runs.
   */
  | {
      readonly op: "inspect";
      readonly commit: string;
      readonly globs: readonly string[];
      readonly guard: CheckGuard;
    }
  /** The changes between two commits, as a patch of at most `most` characters. */
  | { readonly op: "diff"; readonly from: string; readonly to: string; readonly most: number }
  /** Makes the whole checkout equal to `commit`. */
  | { readonly op: "restore"; readonly commit: string }
  /** A separate checkout of the current workspace, for one item of a for-each. */
  | { readonly op: "fork"; readonly name: string }
  /**
   * Merges a fork's changes into the workspace and removes the fork; if it was `closed` before, merges the snapshot
   * it left.
   */
  | {
      readonly op: "join";
      readonly name: string;
      readonly from: string;
      readonly closed?: { readonly commit: string; readonly tree: string };
    }
  /** Removes a fork and keeps its last snapshot under a ref of its own. */
  | { readonly op: "close"; readonly name: string };

/** Checks whose tools and tests are protected automatically. */
export interface CheckGuard {
  /** The checks' scripts, from which the tools are detected. */
  readonly scripts: readonly string[];
  /** Globs of files that an agent may change nevertheless. */
  readonly allow: readonly string[];
  /** Whether tests are also protected, by their usual names. */
  readonly tests: boolean;
}

export interface WorkspaceContext {
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly workspace: string;
}

export const workspaceAnswer = z.strictObject({
  /** The commit made or restored. */
  commit: z.string().exactOptional(),
  /** Its tree: equal trees contain equal files. */
  tree: z.string().exactOptional(),
  diff: z
    .strictObject({ files: z.int(), added: z.int(), removed: z.int(), paths: z.array(z.string()).max(50) })
    .exactOptional(),
  /** Changed files left out of the snapshot because they contain a known key or token (at most 50). */
  withheld: z.array(z.string()).exactOptional(),
  /** Files left out of the snapshot because they hold credentials of the user, such as a login of npm (at most 50). */
  credentials: z.array(z.string()).exactOptional(),
  /** Changed files left out because git passes them through a filter that we do not run (at most 50). */
  filtered: z.array(z.string()).exactOptional(),
  /** Changed files over 100 MiB, with sizes in bytes, and whether the snapshot contains them (at most 50). */
  large: z.array(z.strictObject({ path: z.string(), size: z.int(), kept: z.boolean() })).exactOptional(),
  /** The size of the run's snapshots in bytes; reported from 1 GiB on, and again each time it doubles. */
  stored: z.int().exactOptional(),
  /** New folders left out of the snapshot because each is a git repository of its own (at most 50). */
  nested: z.array(z.string()).exactOptional(),
  /** Named pipes that would block git, which were removed (at most 50). */
  pipes: z.array(z.string()).exactOptional(),
  /** Files and folders without read permission for their owner, which was added (at most 50). */
  unlocked: z.array(z.string()).exactOptional(),
  /** Files and folders of other users that cannot be read: left out of the snapshot (at most 50). */
  unreadable: z.array(z.string()).exactOptional(),
  /** Protected paths that had changed and were restored (at most 50). */
  restored: z.array(z.string()).exactOptional(),
  /** The workspace before protected paths were restored. */
  changed: z.string().exactOptional(),
  /** Tools that the checks use, by name. */
  tools: z.array(z.string()).exactOptional(),
  /** Protected files that git ignores and of which the run has no copy, because they are too large (at most 50). */
  uncopied: z.array(z.string()).exactOptional(),
  patch: z.string().exactOptional(),
  /** The path of a fork; absolute. */
  path: z.string().exactOptional(),
  /** Paths a join could not merge without a conflict. */
  conflicts: z.array(z.string()).exactOptional(),
});

export type WorkspaceAnswer = z.infer<typeof workspaceAnswer>;
