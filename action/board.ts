import {
  type CheckPage,
  checkName,
  checkPage,
  type GitHub,
  loadGitHub,
  type Standing,
  stickyComment,
  stickyMarker,
} from "../src/index.ts";
import type { Site } from "./site.ts";

/** Shows a run on GitHub while it goes on. Whatever goes wrong with that is said, and never stops the run. */
export interface Board {
  /** Where the run stands now; shown at once, or when enough time has passed since it was last shown. */
  look(standing: Standing): void;
  /** Shows where the run stands at the end of this job. */
  close(): Promise<Shown>;
}

export interface Shown {
  readonly comment: number | undefined;
  /** What could not be shown, a sentence each. */
  readonly troubles: readonly string[];
}

export interface BoardOptions {
  readonly github: GitHub;
  readonly site: Site;
  /** The pull request that gets the comment. */
  readonly comment: number | undefined;
  /** The commit that gets the check. */
  readonly check: string | undefined;
  /** Whether a place that refuses us is worth a word: not where nobody asked for it. */
  readonly asked: { readonly comment: boolean; readonly check: boolean };
  /** Strikes secrets from what is shown. */
  clean(text: string): string;
}

/** The least between two edits, in milliseconds: GitHub counts them. */
const pace = 10_000;

export function openBoard(options: BoardOptions): Board {
  const panels = [stickyPanel(options), checkPanel(options)].filter((panel) => panel !== undefined);
  let latest: Standing | undefined;
  let shown = Number.NEGATIVE_INFINITY;
  let work: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const show = () => {
    clearTimeout(timer);
    timer = undefined;
    shown = performance.now();
    const standing = latest;
    if (standing !== undefined) work = work.then(() => showAll(panels, standing));
    return work;
  };
  return {
    look(standing) {
      latest = standing;
      if (panels.length === 0 || timer !== undefined) return;
      const left = shown + pace - performance.now();
      if (left <= 0) void show();
      else timer = setTimeout(() => void show(), left).unref();
    },
    async close() {
      await show();
      return {
        comment: panels.find(({ kind }) => kind === "comment")?.id(),
        troubles: panels.flatMap(({ trouble }) => trouble() ?? []),
      };
    },
  };
}

interface Panel {
  readonly kind: "comment" | "check";
  show(standing: Standing): Promise<void>;
  id(): number | undefined;
  trouble(): string | undefined;
}

async function showAll(panels: readonly Panel[], standing: Standing): Promise<void> {
  await Promise.all(panels.map((panel) => panel.show(standing)));
}

interface Kind {
  readonly kind: Panel["kind"];
  readonly asked: boolean;
  /** The line of the workflow that would allow it. */
  readonly remedy: string;
  /** Posts or edits, and answers the id. */
  post(standing: Standing, id: number | undefined): Promise<number>;
}

function panelOf({ kind, asked, remedy, post }: Kind): Panel {
  let id: number | undefined;
  let trouble: string | undefined;
  let isRefused = false;
  return {
    kind,
    id: () => id,
    trouble: () => trouble,
    async show(standing) {
      if (isRefused) return;
      try {
        id = await post(standing, id);
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

function stickyPanel({ github, site, comment: issue, asked, clean }: BoardOptions): Panel | undefined {
  if (issue === undefined) return undefined;
  return panelOf({
    kind: "comment",
    asked: asked.comment,
    remedy: "give the job `permissions: pull-requests: write`, or say `comment: none`",
    async post(standing, id) {
      const { editComment, keepComment } = await loadGitHub();
      const body = clean(stickyComment(standing, site));
      if (id !== undefined) return await editComment(github, id, body);
      return await keepComment(github, { issue, marker: stickyMarker(standing.summary.run), body });
    },
  });
}

function checkPanel({ github, site, check: head, asked, clean }: BoardOptions): Panel | undefined {
  if (head === undefined) return undefined;
  return panelOf({
    kind: "check",
    asked: asked.check,
    remedy: "give the job `permissions: checks: write`, or say `check-run: false`",
    async post(standing, id) {
      const { keepCheck, updateCheck } = await loadGitHub();
      const shown = cleaned(checkPage(standing, site), clean);
      if (id !== undefined) return await updateCheck(github, id, shown);
      const place = { head, name: checkName(standing.summary), externalId: standing.summary.run };
      return await keepCheck(github, place, shown);
    },
  });
}

function cleaned(page: CheckPage, clean: BoardOptions["clean"]): CheckPage {
  const annotations = page.annotations.map((one) => ({ ...one, message: clean(one.message) }));
  return { ...page, title: clean(page.title), summary: clean(page.summary), annotations };
}
