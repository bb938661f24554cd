import { inlineCode, inMarkdown, inMarkdownWithCode, loadGitHub } from "../../src/api/github.ts";
import { pushCommit } from "../../src/api/publishing.ts";
import { messageOf, placeOf, wordsOfReason } from "../../src/api/runs.ts";
import type { PublishSetting, Work } from "./work.ts";

interface Aside {
  readonly work: Work;
  /** The commit of the work, as it would have been published. */
  readonly commit: string;
  readonly because: string;
  readonly pull: { readonly number: number } | undefined;
}

/** Stores work that must not replace better work at the host, and links it from the pull request. */
export async function keepAttempt(attempt: Aside, setting: PublishSetting): Promise<string> {
  const { work, commit, because, pull } = attempt;
  const { summary, gitDir } = work;
  const { site, github, remote, job, plan } = setting;
  const ref = `refs/until-green/${placeOf(summary.run)}/attempt`;
  await pushCommit({ gitDir, remote }, { ref, commit });
  const notice = `not published, as ${because}; the work is kept in ${ref} (${commit.slice(0, 12)})`;
  if (pull === undefined) return notice;
  const link = `${site.server}/${site.repository}/compare/${work.base}...${commit}`;
  const line = `- Run ${inlineCode(summary.run)} (${inMarkdown(wordsOfReason(summary.stopReason ?? "node-failed"))}): ${inMarkdownWithCode(because)}. [Its work](${link}) · [its job](${site.job})`;
  const marker = `<!-- until-green attempts ${plan.branch.replaceAll("--", "")} -->`;
  const { keepComment } = await loadGitHub();
  const linked = keepComment(github, {
    issue: pull.number,
    marker,
    by: [await github.login()],
    write(before) {
      const lines = (before ?? "").split("\n").filter((one) => one.startsWith("- Run "));
      const kept = [
        ...lines.filter((one) => !one.includes(inlineCode(summary.run))),
        job.withoutSecrets(line),
      ];
      return [marker, attemptsHead, "", ...kept.slice(-mostLines)].join("\n");
    },
  });
  // A job cannot comment in a locked conversation.
  return await linked.then(
    () => notice,
    (error: unknown) => `${notice}. Pull request #${pull.number} does not link it: ${messageOf(error)}`,
  );
}

const attemptsHead = "Later attempts that did not replace the work in this pull request:";
const mostLines = 10;
