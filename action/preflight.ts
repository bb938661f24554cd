import { type GitHub, loadGitHub } from "../src/index.ts";
import type { Inputs } from "./inputs.ts";
import { RefusedError } from "./job.ts";
import type { PullSeen, Site } from "./site.ts";

/** What was found out before anything costs money. */
export interface Ground {
  readonly defaultBranch: string;
  readonly pull: PullSeen | undefined;
}

/** Throws where code of strangers would meet our keys, under whatever trigger. */
export function refuseFork(site: Site, fork: string | undefined): void {
  if (fork === undefined) return;
  const which = site.pull === undefined ? `this ${site.event} job` : `pull request #${site.pull.number}`;
  throw new RefusedError(
    `${which} comes from ${fork}, a fork: its files and texts are those of strangers, and an agent that works on them holds ` +
      `your keys, so until-green does not run there, under no trigger (here \`on: ${site.event}\`). ` +
      "Push the branch to this repository, after reading it, and run there",
  );
}

/** Tries all that the inputs will need of GitHub, by reads that change nothing; throws with a line of YAML for each thing missing. */
export async function prepareGround(inputs: Inputs, site: Site, github: GitHub | undefined): Promise<Ground> {
  const wants = wanted(inputs, site);
  if (github === undefined) {
    if (wants.length === 0) return { defaultBranch: "main", pull: site.pull };
    throw new RefusedError(
      `\`${wants[0]?.input}\` needs a token, and there is none: leave \`github-token\` out, or say \`github-token: \${{ github.token }}\``,
    );
  }
  const { readAccess, readPull, readRepositoryFacts } = await loadGitHub();
  const { defaultBranch, mayPush } = await readRepositoryFacts(github);
  const missing =
    wants.some(({ permission }) => permission === "contents") && mayPush === false && !inputs["push-token"]
      ? [line("contents", inputs.publish)]
      : [];
  for (const { permission, input } of wants) {
    if (permission === "contents") continue;
    const refused = await readAccess(github, permission);
    if (refused !== undefined) missing.push(`${line(permission, input)} (${refused.message})`);
  }
  if (missing.length > 0) throw new RefusedError(...missing);
  if (site.pull === undefined || site.pull.baseSha !== undefined) return { defaultBranch, pull: site.pull };
  const pull = await readPull(github, site.pull.number);
  refuseFork(site, pull.isOwn ? undefined : "another repository");
  return { defaultBranch, pull: { number: pull.number, branch: pull.head, baseSha: pull.baseSha } };
}

interface Wanted {
  readonly permission: "contents" | "pull-requests" | "checks";
  readonly input: string;
}

/** Only what somebody asked for: what is shown by itself is left out where it may not be. */
function wanted({ publish, comment, "check-run": check }: Inputs, site: Site): readonly Wanted[] {
  const wants: Wanted[] = [];
  if (publish !== "none") wants.push({ permission: "contents", input: `publish: ${publish}` });
  if (publish === "pull-request") wants.push({ permission: "pull-requests", input: `publish: ${publish}` });
  if (comment === "sticky" && site.pull !== undefined)
    wants.push({ permission: "pull-requests", input: "comment: sticky" });
  if (check === "true") wants.push({ permission: "checks", input: "check-run: true" });
  return wants;
}

const line = (permission: string, input: string) =>
  `\`${input}\` needs more than this job may: give the job \`permissions: ${permission}: write\``;
