import { type Teller, tellCheck, tellComment } from "../../app/telling.ts";
import type { KeptComment, Standing } from "../../src/index.ts";

/** Shows a run on GitHub while it goes on. Whatever goes wrong with that is said, and never stops the run. */
export interface Board {
  /** Where the run stands now; shown at once, or when enough time has passed since it was last shown. */
  look(standing: Standing): void;
  /** The comment that shows the run, once there is one. */
  comment(): number | undefined;
  /** Shows where the run stands at the end of this job. */
  close(): Promise<Shown>;
}

export interface Shown {
  readonly comment: number | undefined;
  /** What could not be shown, a sentence each. */
  readonly troubles: readonly string[];
}

export interface BoardOptions {
  /** Shows it, alike in every job and in the app. */
  readonly teller: Teller;
  /** The pull request that gets the comment. */
  readonly comment: number | undefined;
  /** The commit that gets the check. */
  readonly check: string | undefined;
  /** Whether a place that refuses us is worth a word: not where nobody asked for it. */
  readonly asked: { readonly comment: boolean; readonly check: boolean };
}

/** The least between two edits while the run goes on, in milliseconds: GitHub counts them. */
const pace = 10_000;

export function openBoard(options: BoardOptions): Board {
  const panels = [stickyPanel(options), checkPanel(options)].filter((panel) => panel !== undefined);
  let latest: Standing | undefined;
  let shown = Number.NEGATIVE_INFINITY;
  let work: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const show = (isLast = false) => {
    clearTimeout(timer);
    timer = undefined;
    shown = performance.now();
    const standing = latest;
    if (standing !== undefined) work = work.then(() => showAll(panels, { standing, isLast }));
    return work;
  };
  const comment = () => panels.find(({ kind }) => kind === "comment")?.id();
  return {
    comment,
    look(standing) {
      latest = standing;
      if (panels.length === 0 || timer !== undefined) return;
      const left = shown + pace - performance.now();
      if (left <= 0) void show();
      else timer = setTimeout(() => void show(), left).unref();
    },
    async close() {
      await show(true);
      return {
        comment: comment(),
        troubles: panels.flatMap(({ trouble }) => trouble() ?? []),
      };
    },
  };
}

interface Moment {
  readonly standing: Standing;
  /** Whether this job shows nothing more. */
  readonly isLast: boolean;
}

interface Panel {
  readonly kind: "comment" | "check";
  show(moment: Moment): Promise<void>;
  id(): number | undefined;
  trouble(): string | undefined;
}

async function showAll(panels: readonly Panel[], moment: Moment): Promise<void> {
  await Promise.all(panels.map((panel) => panel.show(moment)));
}

interface Kind {
  readonly kind: Panel["kind"];
  readonly asked: boolean;
  /** The line of the workflow that would allow it. */
  readonly remedy: string;
  /** Posts or edits, and answers the id. */
  post(
    standing: Standing,
    now: { readonly id: number | undefined; readonly isLast: boolean },
  ): Promise<number>;
}

function panelOf({ kind, asked, remedy, post }: Kind): Panel {
  let id: number | undefined;
  let trouble: string | undefined;
  let isRefused = false;
  return {
    kind,
    id: () => id,
    trouble: () => trouble,
    async show({ standing, isLast }) {
      if (isRefused) return;
      try {
        id = await post(standing, { id, isLast });
        trouble = undefined;
      } catch (error) {
        const { status, message } = faultOf(error);
        // What GitHub refuses now it refuses in ten seconds, too; a text it does not take may be another one then.
        isRefused = [401, 403, 404, 410].includes(status);
        const hint = [401, 403, 404].includes(status) ? `; ${remedy}` : "";
        trouble = asked || !isRefused ? `the ${kind} does not show the run: ${message}${hint}` : undefined;
      }
    },
  };
}

function faultOf(error: unknown): { readonly status: number; readonly message: string } {
  const { status, message } = (error ?? {}) as { readonly status?: unknown; readonly message?: unknown };
  return { status: typeof status === "number" ? status : 0, message: String(message ?? error) };
}

/**
 * So long a comment is taken to be as this job left it, but not in the job's own first minute: the app that started the
 * job may be about to put the link to the run's page into it.
 */
const trustedMs = 60_000;

function stickyPanel({ teller, comment: pull, asked }: BoardOptions): Panel | undefined {
  if (pull === undefined) return undefined;
  let kept: KeptComment | undefined;
  const opened = performance.now();
  let read = Number.NEGATIVE_INFINITY;
  return panelOf({
    kind: "comment",
    asked: asked.comment,
    remedy: "give the job `permissions: pull-requests: write`, or say `comment: none`",
    async post(standing, { isLast }) {
      const now = performance.now();
      const isFresh = !isLast && now - opened >= trustedMs && now - read < trustedMs;
      if (!isFresh) read = now;
      kept = await tellComment(teller, standing, { pull, kept: isFresh ? kept : undefined });
      return kept.id;
    },
  });
}

function checkPanel({ teller, check: head, asked }: BoardOptions): Panel | undefined {
  if (head === undefined) return undefined;
  return panelOf({
    kind: "check",
    asked: asked.check,
    remedy: "give the job `permissions: checks: write`, or say `check-run: false`",
    post: (standing, { id }) => tellCheck(teller, standing, { head, id }),
  });
}
