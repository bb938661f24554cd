import { notifyGates, type RepositoryContext, retireNotices } from "../../src/api/github.ts";
import type { RunStatus } from "../../src/api/runs.ts";
import { messageOf } from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { conversationIn } from "../job/github-context.ts";
import type { PublishContext } from "../publish/publish-context.ts";
import type { StepResult } from "../result/step-result.ts";
import { siteOf } from "./issue-ops.ts";

interface PublishedStatus {
  readonly published: StepResult;
  readonly known: RunStatus | undefined;
  readonly comment: number | undefined;
}

/** The same for a run whose status this job published. */
export async function announceRun(
  { inputs, site, job }: PublishContext,
  { published: { published }, known, comment }: PublishedStatus,
): Promise<readonly string[]> {
  if (known === undefined || known.gates.length + (known.decided ?? []).length === 0) return [];
  const pull = conversationIn(site) ?? published?.pull?.number;
  const shown = `${site.server}/${site.repository}/issues/${pull}#issuecomment-${comment}`;
  const link = comment === undefined ? site.job : shown;
  const clean = job.withoutSecrets;
  // Without a pull request or issue, GitHub is not called.
  const repository = pull === undefined ? undefined : siteOf(inputs, job);
  return await announceGates({ site: repository, status: known, pull, link, clean }, inputs);
}

interface GateNotice {
  /** A client with this job's token; `undefined` without one. */
  readonly site: RepositoryContext | undefined;
  readonly status: RunStatus;
  /** The pull request or issue of the run, if any. */
  readonly pull: number | undefined;
  /** The run's comment, or else the URL of the job's log. */
  readonly link: string;
  /** Redacts secrets. */
  clean(text: string): string;
}

/** Notifies people of a run's open gates, and marks decided ones; returns errors as sentences. */
export async function announceGates(
  { site, status, pull, link, clean }: GateNotice,
  inputs: Pick<Inputs, "notify" | "notify-url">,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const attempt = async (what: string, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      problems.push(`${what}: ${messageOf(error)}`);
    }
  };
  const { gates, decided = [], summary } = status;
  if (site !== undefined && pull !== undefined && inputs.notify === "mention") {
    const here = { status, pull, link, clean };
    if (gates.length > 0) await attempt("nobody was mentioned", () => notifyGates(site, here));
    if (decided.length > 0)
      await attempt("comments of decided gates were not minimized", () => retireNotices(site, here));
  }
  const url = inputs["notify-url"];
  if (url !== undefined && gates.length > 0) {
    const text = clean(`${summary.workflow} waits for a decision (run ${summary.run}): ${link}`);
    await attempt("`notify-url` was not reached", () => postJson(url, { text }));
  }
  return problems;
}

/** Error messages do not contain the URL, which is a secret. */
async function postJson(url: string, body: object): Promise<void> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
    redirect: "error",
  }).catch(() => undefined);
  if (answer === undefined) throw new Error("there was no answer within 10 seconds");
  if (!answer.ok) throw new Error(`it answered ${answer.status}`);
}
