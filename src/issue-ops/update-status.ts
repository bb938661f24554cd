import { conversationOf } from "../engine/log-events.ts";
import type { RunStatus } from "../status/run-status.ts";
import { parseRunStatus } from "../status/run-status-schema.ts";
import { keptCommands } from "./pending-commands.ts";
import { type StatusPublisher, upsertCheckRun, upsertComment } from "./publish-status.ts";
import { githubOf, type RepositoryContext } from "./repository-context.ts";

/** Additional data to show with a run's status. */
interface Additions {
  /** What people should read first, in Markdown. */
  readonly note?: string;
  /** The commit of its record that we have just written. */
  readonly mark?: string;
}

/**
 * Updates the comment and the check of a run from its record, throttled to what hosts accept: an update that comes
 * too soon is delayed. Failures are ignored.
 */
export async function showRun(
  site: RepositoryContext,
  status: RunStatus,
  additions: Additions = {},
): Promise<void> {
  const run = `${site.owner}/${site.repo}/${status.summary.run}`;
  const show = async () => {
    remember(run);
    await showNow(site, status, additions);
  };
  const wait = (last.get(run) ?? Number.NEGATIVE_INFINITY) + paceMs - performance.now();
  clearTimeout(due.get(run));
  due.delete(run);
  if (wait > 0) return void due.set(run, setTimeout(() => void show(), wait).unref());
  await show();
}

const paceMs = 10_000;
const last = new Map<string, number>();
const due = new Map<string, NodeJS.Timeout>();

function remember(run: string): void {
  due.delete(run);
  last.delete(run);
  last.set(run, performance.now());
  if (last.size > 1_000) last.delete(last.keys().next().value ?? "");
}

async function showNow(site: RepositoryContext, status: RunStatus, { note, mark }: Additions): Promise<void> {
  const { head } = status.origin ?? {};
  const pull = conversationOf(status.origin);
  const { server, isSealed } = site;
  const page = site.pageOf(status.summary.run);
  // An unsigned record can be rewritten anyway.
  const publisher = { github: githubOf(site), server, page, mark: () => (isSealed ? mark : undefined) };
  const shows = [
    ...(pull === undefined ? [] : [showComment(site, status, { publisher, pull, note })]),
    ...(head === undefined ? [] : [upsertCheckRun(publisher, status, { head })]),
  ];
  for (const shown of await Promise.allSettled(shows)) if (shown.status === "rejected") site.count("faults");
}

interface CommentTarget {
  readonly publisher: StatusPublisher;
  readonly pull: number;
  readonly note: string | undefined;
}

async function showComment(
  site: RepositoryContext,
  status: RunStatus,
  { publisher, ...shown }: CommentTarget,
): Promise<void> {
  const { id } = await upsertComment(publisher, status, shown);
  if (id !== status.comment) await noteComment(site, status.summary.run, id);
}

/** Records the id of the run's comment, so that a job with another login can update it. */
async function noteComment(site: RepositoryContext, run: string, comment: number): Promise<void> {
  for (let round = 1; round <= mostAttempts; round++) {
    const { tip } = await site.look(run, { lines: true });
    const status = parseRunStatus(tip?.state["status"]);
    if (tip === undefined || status === undefined || status.comment === comment) return;
    const state = { status: { ...status, comment }, commands: keptCommands(tip, []) };
    if (await site.runs.append(tip, { lines: [], owner: "the app", at: site.now(), state })) return;
  }
}

/** A job that has just started also writes; it will probably find the comment by its own login. */
const mostAttempts = 3;
