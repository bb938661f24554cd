import {
  followRun,
  type GitHub,
  loadGitHub,
  type Origin,
  readBranches,
  type Standing,
  type Summary,
  type World,
} from "../../src/index.ts";
import type { Ending } from "../ending/ending.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError, type Surroundings } from "../job/job.ts";
import { standingJob } from "../job/origin.ts";
import { readSite, type Site } from "../job/site.ts";
import { branchesOf, type Place } from "../publish/place.ts";
import { type PublishPlan, planPublish } from "../publish/publish-plan.ts";
import { type Board, openBoard } from "./board.ts";
import { openIterations } from "./iterations.ts";
import { prepareGround, refuseFork } from "./preflight.ts";

/** GitHub around a run: what it may start from, who sees it go on, and where its work goes. */
export interface Hosting extends Surroundings {
  /** Publishes the work of a run that ended, or paused, in this job, and shows how it stands. */
  finish(ending: Ending): Promise<Ending>;
}

interface Opening {
  readonly inputs: Inputs;
  readonly cwd: string;
  /** Where the run that is to go on was begun; of a new one nothing. */
  readonly begun?: Origin | undefined;
}

/** Looks at the ground before a run: throws `RefusedError` where it is none to work on. */
export async function openHosting({ inputs, cwd, begun }: Opening, job: Job): Promise<Hosting> {
  const site = readSite(job, begun);
  if (site === undefined) return nowhere(inputs);
  refuseFork(site, site.fork);
  const github = await openClient(inputs, site);
  const ground = await prepareGround(inputs, site, github);
  const here = { ...site, pull: ground.pull, head: begun?.head ?? ground.pull?.headSha ?? site.head };
  const restored = await restore(inputs, cwd, { site: here, job });
  const { head } = await readBranches(cwd);
  if (inputs.publish !== "none" && head === undefined)
    throw new RefusedError(
      `\`publish: ${inputs.publish}\` publishes on top of the commit that is checked out, and ${cwd} has none: check the repository out with actions/checkout`,
    );
  const token = inputs["push-token"] ?? inputs["github-token"];
  const remote = inputs.publish === "none" ? undefined : await branchesOf({ site: here, job, cwd }, token);
  const place = { inputs, cwd, job, site: here, github, base: head, restored, remote };
  const plan = (workflow: string) => planOf(place, { workflow, defaultBranch: ground.defaultBranch });
  // What is wrong with the branch is wrong before any agent works.
  plan("a workflow");
  return open(place, plan);
}

/** Files of a pull request that instruct agents are those of its base, before anybody reads them. */
async function restore(inputs: Inputs, cwd: string, { site, job }: Pick<Place, "site" | "job">) {
  const commit = site.pull?.baseSha;
  if (commit === undefined) return [];
  const { restoreTrusted } = await import("./trusted.ts");
  const restored = await restoreTrusted({ inputs, cwd, site, commit }, job);
  if (restored.length > 0)
    job.log.say(
      `Put back as they are in ${commit.slice(0, 12)}, as they instruct agents: ${restored.join(", ")}`,
    );
  return restored;
}

function nowhere({ publish }: Inputs): Hosting {
  if (publish !== "none")
    throw new RefusedError(
      `\`publish: ${publish}\` publishes on GitHub, and this is no job there (GITHUB_REPOSITORY is not set): leave \`publish\` out`,
    );
  return { site: undefined, watch: (world) => world, finish: async (ending) => ending };
}

/** The client for this job's token; `undefined` without one. */
export async function openClient(inputs: Inputs, site: Site): Promise<GitHub | undefined> {
  const token = inputs["github-token"];
  if (token === undefined) return undefined;
  const { openGitHub } = await loadGitHub();
  return openGitHub({ token, repository: site.repository, apiUrl: site.api, patienceMs: 20_000 });
}

/** Where the work of a workflow goes; `undefined` where it goes nowhere. Throws where it must not go there. */
export function planOf(
  { inputs, site, job }: Pick<Place, "inputs" | "site" | "job">,
  of: { workflow: string; defaultBranch: string },
): PublishPlan | undefined {
  if (inputs.publish === "none") return undefined;
  const isBranch = job.env["GITHUB_REF"]?.startsWith("refs/heads/") === true;
  return planPublish({
    inputs,
    site,
    ...of,
    pullBranch: site.pull?.branch,
    ref: isBranch ? job.env["GITHUB_REF_NAME"] : undefined,
  });
}

function open(place: Place, plan: (workflow: string) => PublishPlan | undefined): Hosting {
  const { job } = place;
  const board = boardOf(place);
  const follower = followRun();
  const iterations = openIterations();
  let world: World | undefined;
  let known: Standing | undefined;
  return {
    site: place.site,
    watch(given) {
      world = given;
      return {
        ...given,
        recall(events) {
          for (const event of events) iterations.hear(event);
          follower.recall(events);
          given.recall?.(events);
        },
        tell(event) {
          iterations.hear(event);
          follower.tell(event);
          given.tell(event);
          board?.look(standingWith(follower.summary, known, job));
        },
        standing(session, upcoming) {
          const standing = given.standing?.(session, upcoming) ?? follower.standing(session, upcoming);
          known = standing as unknown as Standing;
          const comment = board?.comment();
          if (comment !== undefined) known = { ...known, comment };
          return known as unknown as typeof standing;
        },
      };
    },
    async finish(ending) {
      if (ending.summary === undefined || ending.lost === true) return ending;
      // A run that goes on in another checkout began from the commit of its first.
      const from = { ...place, base: known?.origin?.checkout ?? place.base };
      const heard = { world, iterations: iterations.all, checked: iterations.checked };
      const { publishEnding } = await import("../publish/publish-ending.ts");
      const published = await publishEnding({ place: from, plan, heard }, ending);
      board?.look(standingWith(published.summary ?? ending.summary, known, job));
      const shown = await board?.close();
      const troubles = (shown?.troubles ?? []).map((message) => ({
        level: "warning" as const,
        title: "until-green",
        message: job.withoutSecrets(message),
      }));
      return {
        ...published,
        annotations: [...published.annotations, ...troubles],
        ...(shown?.comment === undefined ? {} : { comment: shown.comment }),
      };
    },
  };
}

function boardOf({ inputs, site, github, job }: Place): Board | undefined {
  if (github === undefined) return undefined;
  const { comment, "check-run": check } = inputs;
  return openBoard({
    teller: { github, server: site.server, clean: job.withoutSecrets },
    comment: comment === "none" ? undefined : site.pull?.number,
    check: check === "false" ? undefined : site.head,
    asked: { comment: comment === "sticky", check: check === "true" },
  });
}

/** The last standing on record knows the gates; the summary may know more. */
function standingWith(summary: Summary, known: Standing | undefined, job: Job): Standing {
  const open = new Set(summary.gates.map(({ path }) => path));
  return {
    v: 1,
    origin: known?.origin,
    comment: known?.comment,
    job: known?.job ?? standingJob(job),
    work: known?.work,
    summary,
    gates: (known?.gates ?? []).filter(({ path }) => open.has(path)),
  };
}
