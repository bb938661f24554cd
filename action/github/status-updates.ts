import type { KeptComment } from "../../src/api/github.ts";
import { type StatusPublisher, upsertCheckRun, upsertComment } from "../../src/api/github.ts";
import type { RunStatus } from "../../src/api/runs.ts";

/** Publishes a run's status on GitHub while it runs. Errors are reported and never stop the run. */
export interface StatusUpdates {
  /** Publishes the current status: now, or once enough time has passed since the last update. */
  look(status: RunStatus): void;
  /** The comment that shows the run, once there is one. */
  comment(): number | undefined;
  /** Publishes the final status of this job. */
  close(): Promise<Shown>;
}

export interface Shown {
  readonly comment: number | undefined;
  /** Updates that failed, one sentence each. */
  readonly problems: readonly string[];
}

export interface StatusUpdateOptions {
  /** Publishes the status; shared with the app. */
  readonly publisher: StatusPublisher;
  /** The pull request for the comment. */
  readonly comment: number | undefined;
  /** The commit for the check. */
  readonly check: string | undefined;
  /** True if a refusal deserves a warning; false if the display is optional. */
  readonly enabled: { readonly comment: boolean; readonly check: boolean };
}

/** Minimum time between two updates, in milliseconds: GitHub limits their rate. */
const pace = 10_000;

export function createStatusUpdates(options: StatusUpdateOptions): StatusUpdates {
  const panels = [stickyPanel(options), checkPanel(options)].filter((panel) => panel !== undefined);
  let latest: RunStatus | undefined;
  let shown = Number.NEGATIVE_INFINITY;
  let work: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const show = (isLast = false) => {
    clearTimeout(timer);
    timer = undefined;
    shown = performance.now();
    const status = latest;
    if (status !== undefined) work = work.then(() => showAll(panels, { status, isLast }));
    return work;
  };
  const comment = () => panels.find(({ kind }) => kind === "comment")?.id();
  return {
    comment,
    look(status) {
      latest = status;
      if (panels.length === 0 || timer !== undefined) return;
      const left = shown + pace - performance.now();
      if (left <= 0) void show();
      else timer = setTimeout(() => void show(), left).unref();
    },
    async close() {
      await show(true);
      return {
        comment: comment(),
        problems: panels.flatMap(({ problem }) => problem() ?? []),
      };
    },
  };
}

interface Moment {
  readonly status: RunStatus;
  /** True once this job publishes no more updates. */
  readonly isLast: boolean;
}

interface Panel {
  readonly kind: "comment" | "check";
  show(moment: Moment): Promise<void>;
  id(): number | undefined;
  problem(): string | undefined;
}

async function showAll(panels: readonly Panel[], moment: Moment): Promise<void> {
  await Promise.all(panels.map((panel) => panel.show(moment)));
}

interface Kind {
  readonly kind: Panel["kind"];
  readonly isEnabled: boolean;
  /** The `permissions` line that would allow it. */
  readonly remedy: string;
  /** Creates or updates it; returns the id. */
  post(
    status: RunStatus,
    now: { readonly id: number | undefined; readonly isLast: boolean },
  ): Promise<number>;
}

function panelOf({ kind, isEnabled, remedy, post }: Kind): Panel {
  let id: number | undefined;
  let problem: string | undefined;
  let isRefused = false;
  return {
    kind,
    id: () => id,
    problem: () => problem,
    async show({ status, isLast }) {
      if (isRefused) return;
      try {
        id = await post(status, { id, isLast });
        problem = undefined;
      } catch (error) {
        const { status, message } = faultOf(error);
        // GitHub would refuse the same text again in ten seconds, but the text may have changed by then.
        isRefused = [401, 403, 404, 410].includes(status);
        const hint = [401, 403, 404].includes(status) ? `; ${remedy}` : "";
        problem =
          isEnabled || !isRefused ? `the ${kind} does not show the run: ${message}${hint}` : undefined;
      }
    },
  };
}

function faultOf(error: unknown): { readonly status: number; readonly message: string } {
  const { status, message } = (error ?? {}) as { readonly status?: unknown; readonly message?: unknown };
  return { status: typeof status === "number" ? status : 0, message: String(message ?? error) };
}

/**
 * How long, in milliseconds, this job trusts that the comment it wrote is unchanged. In the job's first minute it does
 * not, because the app may add the link to the run's page.
 */
const trustedMs = 60_000;

function stickyPanel({ publisher, comment: pull, enabled }: StatusUpdateOptions): Panel | undefined {
  if (pull === undefined) return undefined;
  let kept: KeptComment | undefined;
  const opened = performance.now();
  let read = Number.NEGATIVE_INFINITY;
  return panelOf({
    kind: "comment",
    isEnabled: enabled.comment,
    remedy:
      "give the job `permissions: pull-requests: write` (for a run from an issue `issues: write`), or set `comment: none`",
    async post(status, { isLast }) {
      const now = performance.now();
      const isFresh = !isLast && now - opened >= trustedMs && now - read < trustedMs;
      if (!isFresh) read = now;
      kept = await upsertComment(publisher, status, { pull, kept: isFresh ? kept : undefined });
      return kept.id;
    },
  });
}

function checkPanel({ publisher, check: head, enabled }: StatusUpdateOptions): Panel | undefined {
  if (head === undefined) return undefined;
  return panelOf({
    kind: "check",
    isEnabled: enabled.check,
    remedy: "give the job `permissions: checks: write`, or set `check-run: false`",
    post: (status, { id }) => upsertCheckRun(publisher, status, { head, id }),
  });
}
