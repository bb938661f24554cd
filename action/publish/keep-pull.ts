import { loadGitHub } from "../../src/api/github.ts";
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

/** The open pull request of the branch, brought up to date; or a new one. */
export async function keepPull({ work, grade, found, commit }: Shown, setting: PublishSetting) {
  const { summary, beside = [], missing = [] } = work;
  const { inputs, site, github, job, plan, templates = {}, notes = [] } = setting;
  const runs = [summary, ...beside.map((one) => one.summary)];
  const { addLabels, askPeople, findPull, setDraft, updatePull } = await loadGitHub();
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
  await addLabels(github, pull.number, inputs.labels ?? []);
  // People are asked once: who was taken off the list stays off.
  if (known === undefined)
    await askPeople(github, pull.number, {
      reviewers: inputs.reviewers ?? [],
      teams: inputs["team-reviewers"] ?? [],
      assignees: inputs.assignees ?? [],
    });
  return { number: pull.number, url: pull.url };
}
