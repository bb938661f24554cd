import { z } from "zod";
import type { GitHub } from "../github/client.ts";
import { shortRunId } from "../ports/short-run-id.ts";
import { inlineCode, inMarkdown } from "../render/escape.ts";
import { truncate } from "../status/format.ts";
import type { RunStatus, StatusGate } from "../status/run-status.ts";
import { rulesOf } from "./config.ts";
import { same } from "./permissions.ts";
import { commentsOn } from "./read-comments.ts";
import { githubOf, isOurs, type RepositoryContext } from "./repository-context.ts";

/** A run that waits at gates, and where to notify people. */
export interface WaitingRun {
  readonly status: RunStatus;
  /** The number of the pull request or issue. */
  readonly pull: number;
  /** The URL where the run is shown. */
  readonly link: string;
  /** Removes secrets from the text that is shown. */
  clean(text: string): string;
}

/** Notifies the people who may decide each new gate, in a new comment: edits notify no one. */
export async function notifyGates(site: RepositoryContext, waiting: WaitingRun): Promise<void> {
  const { status, pull, link, clean } = waiting;
  const { run, workflow } = status.summary;
  const short = shortRunId(run);
  const github = githubOf(site);
  const notices = await noticesOf(site, { run, pull, since: sinceOf(status) });
  const fresh = status.gates.filter(({ nonce }) => !notices.some((notice) => notice.nonce === nonce));
  if (fresh.length === 0) return;
  const rules = rulesOf(await site.config(), workflow);
  const author = await openedBy(github, pull);
  const wanted = rules.approvers.length > 0 ? rules.approvers : [status.origin?.actor, author];
  const people = wanted.filter(
    (login): login is string =>
      login !== undefined && !login.endsWith("[bot]") && !(rules.excludeAuthor && same(login, author ?? "")),
  );
  const mentions = [...new Set(people.map((login) => login.toLowerCase()))].slice(0, 20);
  for (const gate of fresh) {
    const question = truncate(gate.question.replace(/\s+/g, " ").trim(), 300);
    const body = [
      markerOf(run, gate.nonce),
      `${mentions.map((login) => `@${login} `).join("")}${inlineCode(workflow)} waits for your decision: ${inMarkdown(question)}`,
      `[See the run](${link}), then answer with \`/workflow approve ${short}\` or \`/workflow reject ${short} <why>\`.`,
    ].join("\n\n");
    await github.request("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", {
      ...github.at,
      issue_number: pull,
      body: clean(body),
    });
  }
}

/** Minimizes the notices of decided gates of a run. */
export async function retireNotices(
  site: RepositoryContext,
  { status, pull }: Pick<WaitingRun, "status" | "pull">,
): Promise<void> {
  const github = githubOf(site);
  const { run, startedAt } = status.summary;
  const isOpen = (nonce: string) => status.gates.some((gate) => gate.nonce === nonce);
  for (const { id, nonce } of await noticesOf(site, { run, pull, since: startedAt })) {
    if (isOpen(nonce)) continue;
    await github.graphql(
      "mutation ($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: RESOLVED }) { clientMutationId } }",
      { id },
    );
  }
}

const markerOf = (run: string, nonce: string) => `<!-- until-green:gate=${run}/${nonce} -->`;
const marked = /^<!-- until-green:gate=([a-z0-9-]+)\/([a-z0-9]+) -->/;

/** Gates open after the run starts, and comments are dated by another clock. */
const sinceOf = ({ gates }: RunStatus) =>
  gates
    .map(({ since }: StatusGate) => since)
    .toSorted()
    .map((since) => new Date(Date.parse(since) - 60_000).toISOString())[0];

interface NoticeQuery {
  readonly run: string;
  readonly pull: number;
  readonly since: string | undefined;
}

/** Our notices of a run, among the newest 1,000 comments since then. */
async function noticesOf(site: RepositoryContext, { run, pull, since }: NoticeQuery) {
  const gates: { readonly id: string; readonly nonce: string }[] = [];
  for await (const { node_id: id, body, user } of commentsOn(site, { pull, since, pages: 10 })) {
    const [, of, nonce] = marked.exec(body ?? "") ?? [];
    if (of === run && nonce !== undefined && (await isOurs(site, user?.login))) gates.push({ id, nonce });
  }
  return gates;
}

const issue = z.object({ user: z.object({ login: z.string() }).nullish() });

async function openedBy(github: GitHub, pull: number): Promise<string | undefined> {
  const route = "GET /repos/{owner}/{repo}/issues/{issue_number}";
  const { data } = await github.request(route, { ...github.at, issue_number: pull });
  return issue.parse(data).user?.login;
}
