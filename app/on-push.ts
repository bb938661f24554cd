import type { RepositoryContext } from "../src/api/github.ts";
import { configFile, githubOf, keepCheck, readConfig, readConfigText } from "../src/api/github.ts";

/** Commits pushed to a branch. */
export interface PushEvent {
  /** Like `refs/heads/main`. */
  readonly ref: string;
  /** The branch's current commit; zeros if it was deleted. */
  readonly after: string;
  /** The files that the commits added, changed or removed. */
  readonly touched: readonly string[];
}

/** True if a push may have changed the repository's configuration file. */
export const concernsConfig = ({ ref, after, touched }: PushEvent, defaultBranch: string) =>
  ref === `refs/heads/${defaultBranch}` && !/^0+$/.test(after) && touched.includes(configFile);

/** Reports on the commit whether its configuration is valid, with every fault on its line. */
export async function checkConfig(site: RepositoryContext, { after }: PushEvent): Promise<void> {
  const read = readConfig(await readConfigText(site, after));
  const faults = read.ok ? [] : read.faults;
  const place = { head: after, name: "until-green configuration", externalId: "configuration" };
  await keepCheck(githubOf(site), place, {
    status: "completed",
    conclusion: read.ok ? "success" : "failure",
    title: read.ok ? "The configuration is valid" : `${faults.length} to fix in ${configFile}`,
    summary: read.ok ? good : bad,
    actions: [],
    annotations: faults.slice(0, mostFaults).map(({ line, message }) => ({
      path: configFile,
      line: Math.max(1, line),
      level: "failure",
      title: "until-green",
      message: message.slice(0, 4_000),
    })),
  });
}

const mostFaults = 50;
const good = `\`${configFile}\` is in effect from now on.`;
const bad = `Until \`${configFile}\` is valid, commands are disabled. Each error is annotated at its line.`;
