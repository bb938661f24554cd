import { type GitHub, loadGitHub } from "../../src/api/github.ts";
import type { Grade } from "../../src/api/publishing.ts";
import { openPull } from "./open-pull.ts";
import { pullBody, pullTitle } from "./pull-text.ts";
import type { PublishSetting, Work } from "./work.ts";

export type FoundPull = Awaited<ReturnType<Awaited<ReturnType<typeof loadGitHub>>["findPull"]>>;

interface Shown {
  readonly work: Work;
  readonly grade: Grade;
  readonly found: FoundPull;
  /** What was pushed. */
  readonly commit: string;
}

/** The open pull request of the branch, brought up to date; or a new one. Remarks say what GitHub refused about it. */
export async function keepPull({ work, grade, found, commit }: Shown, setting: PublishSetting) {
  const { summary, beside = [], missing = [] } = work;
  const { inputs, site, github, job, plan, templates = {}, notes = [] } = setting;
  const runs = [summary, ...beside.map((one) => one.summary)];
  const { findPull, setDraft, updatePull } = await loadGitHub();
  const text = {
    title: job.withoutSecrets(pullTitle(templates.title ?? inputs.title, summary)),
    body: job.withoutSecrets(
      pullBody(runs, { ...site, issue: plan.issue }, { template: templates.body, missing, notes }),
    ),
  };
  const draft = inputs.draft === "auto" ? missing.length > 0 || !grade.green : inputs.draft === "true";
  const known = found ?? (await findPull(github, plan.branch));
  if (known !== undefined) await updatePull(github, known.number, text);
  if (known !== undefined && known.draft !== draft) await setDraft(github, known, draft);
  const pull =
    known ?? (await openPull(setting, { ...text, head: plan.branch, base: plan.base, draft, commit }));
  const remarks = found === undefined ? await labelAndAsk(github, pull.number, inputs) : [];
  return { number: pull.number, url: pull.url, remarks };
}

/**
 * Gives a new pull request its labels and people. Only once: what people take off stays off. The work is there: a name
 * that GitHub does not take is no reason to say that it is not, so the answer says what it refused.
 */
export async function labelAndAsk(
  github: GitHub,
  pull: number,
  inputs: PublishSetting["inputs"],
): Promise<readonly string[]> {
  const { addLabels, askPeople } = await loadGitHub();
  const none = { reviewers: [], teams: [], assignees: [] };
  const { labels = [], reviewers = [], "team-reviewers": teams = [], assignees = [] } = inputs;
  return await refusalsOf([
    ["the labels were not set", () => addLabels(github, pull, labels)],
    ["the reviewers were not requested", () => askPeople(github, pull, { ...none, reviewers, teams })],
    ["nobody was assigned", () => askPeople(github, pull, { ...none, assignees })],
  ]);
}

type Ask = readonly [otherwise: string, ask: () => Promise<void>];

async function refusalsOf(asks: readonly Ask[]): Promise<readonly string[]> {
  const remarks: string[] = [];
  for (const [otherwise, ask] of asks)
    try {
      await ask();
    } catch (error) {
      const { status, message } = error as { readonly status?: number; readonly message?: string };
      if (![403, 404, 422].includes(status ?? 0)) throw error;
      remarks.push(`${otherwise}: ${message}`);
    }
  return remarks;
}
