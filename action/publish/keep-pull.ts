import { type GitHub, loadGitHub } from "../../src/api/github.ts";
import type { Grade } from "../../src/api/publishing.ts";
import { openPull } from "./open-pull.ts";
import { keepTitle, pullBody, pullTitle } from "./pull-text.ts";
import type { PublishSetting, Work } from "./work.ts";

export type FoundPull = Awaited<ReturnType<Awaited<ReturnType<typeof loadGitHub>>["findPull"]>>;

interface PublishedCommit {
  readonly work: Work;
  readonly grade: Grade;
  readonly existing: FoundPull;
  /** The pushed commit. */
  readonly commit: string;
}

/** Updates the open pull request of the branch, or opens one. Notices report what GitHub refused. */
export async function keepPull({ work, grade, existing, commit }: PublishedCommit, setting: PublishSetting) {
  const { summary, others = [], missing = [] } = work;
  const { inputs, site, github, job, plan, templates, notes = [] } = setting;
  const runs = [summary, ...others.map((one) => one.summary)];
  const { findPull, setDraft, updatePull } = await loadGitHub();
  const known = existing ?? (await findPull(github, plan.branch));
  const text = keepTitle(known, {
    title: job.withoutSecrets(pullTitle(templates.title, summary)),
    body: job.withoutSecrets(
      pullBody(runs, { ...site, issue: plan.issue }, { template: templates.body, missing, notes }),
    ),
  });
  const draft =
    inputs.draft === "auto"
      ? missing.length > 0 || !grade.green || grade.review === true
      : inputs.draft === "true";
  if (known !== undefined) await updatePull(github, known.number, text);
  const opens = { ...text, head: plan.branch, base: plan.base, commit };
  const shown = await asDraft(draft, async (isDraft) => {
    if (known === undefined) return await openPull(setting, { ...opens, draft: isDraft });
    if (known.draft !== isDraft) await setDraft(github, known, isDraft);
    return known;
  });
  const pull = shown.value;
  const due = existing === undefined ? all : refusedBefore(existing.body);
  const notices = await labelAndAsk(github, { number: pull.number, text, due }, inputs);
  return { number: pull.number, url: pull.url, notices: [...shown.notices, ...notices] };
}

/** Shows a pull request as a draft, if wanted. Private repositories of some plans have no drafts. */
async function asDraft<T>(draft: boolean, show: (draft: boolean) => Promise<T>) {
  try {
    return { value: await show(draft), notices: [] };
  } catch (error) {
    const { message = "" } = error as { readonly message?: string };
    if (!draft || !/draft pull requests are not supported/i.test(message)) throw error;
    const notice = "this repository has no draft pull requests, so this one looks ready, although it is not";
    return { value: await show(false), notices: [notice] };
  }
}

const all = ["labels", "reviewers", "assignees"] as const;
type PullPart = (typeof all)[number];

interface PullUpdate {
  readonly number: number;
  readonly text: { readonly title: string; readonly body: string };
  /** The parts to add; default: all. */
  readonly due?: readonly PullPart[];
}

/**
 * Adds labels, reviewers and assignees. Only once, so that what people remove stays removed. GitHub may refuse a
 * name; since the work is published, that is only reported, and noted in the body for the next attempt.
 */
export async function labelAndAsk(
  github: GitHub,
  { number, text, due = all }: PullUpdate,
  inputs: PublishSetting["inputs"],
): Promise<readonly string[]> {
  const { addLabels, askPeople, updatePull } = await loadGitHub();
  const none = { reviewers: [], teams: [], assignees: [] };
  const { labels = [], reviewers = [], "team-reviewers": teams = [], assignees = [] } = inputs;
  const asks: Record<PullPart, Ask> = {
    labels: ["the labels were not set", () => addLabels(github, number, labels)],
    reviewers: [
      "the reviewers were not requested",
      () => askPeople(github, number, { ...none, reviewers, teams }),
    ],
    assignees: ["nobody was assigned", () => askPeople(github, number, { ...none, assignees })],
  };
  const refused: PullPart[] = [];
  const notices: string[] = [];
  for (const what of due) {
    const [otherwise, ask] = asks[what];
    try {
      await ask();
    } catch (error) {
      const { status, message } = error as { readonly status?: number; readonly message?: string };
      if (![403, 404, 422].includes(status ?? 0)) throw error;
      refused.push(what);
      notices.push(`${otherwise}: ${message}`);
    }
  }
  if (refused.length > 0)
    await updatePull(github, number, {
      ...text,
      body: `${text.body}\n<!-- until-green refused: ${refused.join(" ")} -->`,
    });
  return notices;
}

type Ask = readonly [otherwise: string, ask: () => Promise<void>];

/** The parts that GitHub refused, as noted in the body. */
function refusedBefore(body: string): readonly PullPart[] {
  const labels = /<!-- until-green refused: ([a-z ]+) -->\s*$/.exec(body)?.[1]?.split(" ") ?? [];
  return all.filter((what) => labels.includes(what));
}
