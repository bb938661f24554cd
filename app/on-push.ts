import { z } from "zod";
import { askIfThere } from "../src/index.ts";
import { keepOurCheck } from "./check.ts";
import { configFile, readConfig } from "./config.ts";
import type { Site } from "./site.ts";

/** Commits that came to a branch. */
export interface Push {
  /** Like `refs/heads/main`. */
  readonly ref: string;
  /** The commit the branch stands at now; zeros where it is gone. */
  readonly after: string;
  /** The files the commits added, changed or removed. */
  readonly touched: readonly string[];
}

/** Whether a push may have changed what a repository's own file says. */
export const concernsConfig = ({ ref, after, touched }: Push, defaultBranch: string) =>
  ref === `refs/heads/${defaultBranch}` && !/^0+$/.test(after) && touched.includes(configFile);

/** Says on the commit itself whether the configuration it brought can be read, with every fault at its line. */
export async function checkConfig(site: Site, { after }: Push): Promise<void> {
  const { api, owner, repo } = site;
  const route = `GET /repos/{owner}/{repo}/contents/${configFile}`;
  const found = content.optional().parse(await askIfThere(api, route, { owner, repo, ref: after }));
  const read = readConfig(Buffer.from(found?.content ?? "", "base64").toString("utf8"));
  const faults = read.ok ? [] : read.faults;
  const place = { head: after, name: "until-green configuration", externalId: "configuration" };
  await keepOurCheck(site, place, {
    status: "completed",
    conclusion: read.ok ? "success" : "failure",
    title: read.ok ? "The configuration can be read" : `${faults.length} to mend in ${configFile}`,
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
const good = `What \`${configFile}\` says holds from now on.`;
const bad = `Until \`${configFile}\` is right, nobody may command runs here. The faults stand at their lines.`;

const content = z.object({ content: z.string(), encoding: z.literal("base64") });
