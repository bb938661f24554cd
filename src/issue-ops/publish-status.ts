import type { GitHub } from "../github/client.ts";
import type { KeptComment } from "../github/comments.ts";
import { type CheckPage, checkName, checkPage } from "../render/check-run.ts";
import { stickyComment, stickyMarker } from "../render/sticky-comment.ts";
import type { RunStatus } from "../status/run-status.ts";

/** Publishes a run on GitHub. Used by the app and by jobs that drive runs, so that both show the same. */
export interface StatusPublisher {
  readonly github: GitHub;
  /** Like `https://github.com`. */
  readonly server: string;
  /** The run's own page, if known; an existing link in the comment is kept. */
  readonly page?: string | undefined;
  /** The last known commit of a run's signed record, if the caller has read the whole record. */
  mark?(run: string): string | undefined;
  /** Removes secrets from the text that is shown. */
  clean?(text: string): string;
}

interface OnPull {
  readonly pull: number;
  /** What people should read first. */
  readonly note?: string | undefined;
  /** The previous comment, if nobody else can have changed it since. */
  readonly kept?: KeptComment | undefined;
}

/** Updates the comment of a run, whoever posted it; returns it. */
export async function upsertComment(
  publisher: StatusPublisher,
  status: RunStatus,
  { pull, note, kept }: OnPull,
): Promise<KeptComment> {
  const { github, clean = same } = publisher;
  const { editComment, jobLogin, keepComment } = await import("../github/index.ts");
  const write = (before: string | undefined) =>
    clean(stickyComment(status, siteOf(publisher, status), { before, note }));
  if (kept !== undefined) {
    const body = write(kept.body);
    return body === kept.body ? kept : await editComment(github, kept.id, body);
  }
  const marker = stickyMarker(status.summary.run);
  // The first writer posts it, under any login, and the record names it. Until the record does, it is searched for:
  // all jobs of a repository have one login, unless they use another token.
  const by = [await github.login(), jobLogin];
  return await keepComment(github, { id: status.comment, issue: pull, marker, write, by });
}

interface OnCommit {
  readonly head: string;
  /** The check's id, if known. */
  readonly id?: number | undefined;
}

/** Updates the check of a run; returns its id. */
export async function upsertCheckRun(
  publisher: StatusPublisher,
  status: RunStatus,
  { head, id }: OnCommit,
): Promise<number> {
  const { github, page, clean = same } = publisher;
  const { jobLogin, keepCheck, updateCheck } = await import("../github/index.ts");
  const filled = { ...cleaned(checkPage(status, siteOf(publisher, status)), clean), page };
  // GitHub sends button presses to the app that created the check; nobody receives those of a check created with a
  // job's own token.
  const shown = (await github.login()) === jobLogin ? { ...filled, actions: [] } : filled;
  if (id !== undefined) return await updateCheck(github, id, shown);
  const { summary } = status;
  return await keepCheck(github, { head, name: checkName(summary), externalId: summary.run }, shown);
}

const same = (text: string) => text;

const siteOf = ({ github: { at }, server, page, mark }: StatusPublisher, { summary }: RunStatus) => ({
  server,
  repository: `${at.owner}/${at.repo}`,
  page,
  mark: mark?.(summary.run),
});

function cleaned(page: CheckPage, clean: (text: string) => string): CheckPage {
  const annotations = page.annotations.map((one) => ({ ...one, message: clean(one.message) }));
  return { ...page, title: clean(page.title), summary: clean(page.summary), annotations };
}
