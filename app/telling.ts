import {
  type CheckPage,
  checkName,
  checkPage,
  type GitHub,
  type KeptComment,
  loadGitHub,
  type Standing,
  stickyComment,
  stickyMarker,
} from "../src/index.ts";

/** Who shows a run on GitHub: a job that drives it, or the app. What they show is the same. */
export interface Teller {
  readonly github: GitHub;
  /** Like `https://github.com`. */
  readonly server: string;
  /** The run's own page, where the teller knows one; what a comment links already stays. */
  readonly page?: string | undefined;
  /** Strikes secrets from what is shown. */
  clean?(text: string): string;
}

interface OnPull {
  readonly pull: number;
  /** What people should know before all else. */
  readonly note?: string | undefined;
  /** The comment as it was left, where nobody else can have changed it since. */
  readonly kept?: KeptComment | undefined;
}

/** Brings the one comment of a run up to date, whoever posted it first; answers it. */
export async function tellComment(
  teller: Teller,
  standing: Standing,
  { pull, note, kept }: OnPull,
): Promise<KeptComment> {
  const { github, clean = same } = teller;
  const { editComment, jobLogin, keepComment } = await loadGitHub();
  const write = (before: string | undefined) =>
    clean(stickyComment(standing, placeOf(teller), { before, note }));
  if (kept !== undefined) {
    const body = write(kept.body);
    return body === kept.body ? kept : await editComment(github, kept.id, body);
  }
  const marker = stickyMarker(standing.summary.run);
  // Whoever comes first posts it, by whatever login, and the record says which it is. Where it does not say so yet, it is
  // looked for: the jobs of a repository write by one login, unless they are given another token.
  const by = [await github.login(), jobLogin];
  return await keepComment(github, { id: standing.comment, issue: pull, marker, write, by });
}

interface OnCommit {
  readonly head: string;
  /** The check, where it is known. */
  readonly id?: number | undefined;
}

/** Brings the check of a run up to date; answers its id. */
export async function tellCheck(teller: Teller, standing: Standing, { head, id }: OnCommit): Promise<number> {
  const { github, page, clean = same } = teller;
  const { keepCheck, updateCheck } = await loadGitHub();
  const shown = { ...cleaned(checkPage(standing, placeOf(teller)), clean), page };
  if (id !== undefined) return await updateCheck(github, id, shown);
  const { summary } = standing;
  return await keepCheck(github, { head, name: checkName(summary), externalId: summary.run }, shown);
}

const same = (text: string) => text;

const placeOf = ({ github: { at }, server, page }: Teller) => ({
  server,
  repository: `${at.owner}/${at.repo}`,
  page,
});

function cleaned(page: CheckPage, clean: (text: string) => string): CheckPage {
  const annotations = page.annotations.map((one) => ({ ...one, message: clean(one.message) }));
  return { ...page, title: clean(page.title), summary: clean(page.summary), annotations };
}
