import { type RunEvent, readStanding, type Standing, type Tip } from "../src/index.ts";
import { showRun } from "./board.ts";
import { rulesOf } from "./config.ts";
import { belongsHere } from "./find-run.ts";
import type { Site } from "./site.ts";
import { tidyGone } from "./tidy.ts";
import { isAlive, wake } from "./wake.ts";
import { wordsOf } from "./words.ts";

/** What a sweep found and did. */
export interface Swept {
  readonly runs: number;
  /** Decided, but not started by whoever recorded it. */
  readonly started: readonly string[];
  /** Their job is gone without an end: offered to be resumed. */
  readonly dead: readonly string[];
  /** Their record is gone: their comments were brought to rest. */
  readonly tidied: readonly string[];
  /** What could not be mended, in sentences. */
  readonly faults: readonly string[];
}

export interface SweepOptions {
  /** How long a decision may wait for its job, in milliseconds. */
  readonly graceMs?: number;
  /** Only the run whose job this was. */
  readonly job?: number;
}

/** Looks at every run of a repository and mends what a lost webhook, a failed start or a dead job left undone. */
export async function sweep(site: Site, { graceMs = 120_000, job }: SweepOptions = {}): Promise<Swept> {
  // Every job of the repository that ends has us look: where all runs are told of at once, that is one question.
  const all = job === undefined ? undefined : await site.survey();
  const tips = new Map(all?.tips.map((tip) => [tip.run, tip]));
  const ids = all === undefined ? await site.runs.list() : [...tips.keys()];
  const swept = {
    runs: ids.length,
    started: [] as string[],
    dead: [] as string[],
    tidied: [] as string[],
    faults: [] as string[],
  };
  // A few at a time: a host counts what is asked at once.
  for (let at = 0; at < ids.length; at += atOnce) {
    await Promise.all(
      ids.slice(at, at + atOnce).map(async (run) => {
        try {
          await sweepRun(site, run, { graceMs, job, swept, tip: tips.get(run) });
        } catch (error) {
          site.count("faults");
          swept.faults.push(`run ${run}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }),
    );
  }
  // The end of one job is no reason to look at everything.
  if (job !== undefined) return swept;
  try {
    swept.tidied.push(...(await tidyGone(site, ids)));
  } catch (error) {
    site.count("faults");
    swept.faults.push(
      `comments of runs that are gone: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return swept;
}

const atOnce = 4;

interface Sweeping {
  readonly graceMs: number;
  readonly job: number | undefined;
  /** Where it is known already. */
  readonly tip: Tip | undefined;
  readonly swept: { readonly started: string[]; readonly dead: string[]; readonly faults: string[] };
}

async function sweepRun(site: Site, run: string, { graceMs, job, swept, ...known }: Sweeping): Promise<void> {
  const tip = known.tip ?? (await site.look(run, { lines: true })).tip;
  const standing = readStanding(tip?.state["standing"]);
  if (tip === undefined || standing === undefined || !belongsHere(site, standing)) return;
  if (job !== undefined && standing.job?.run !== job) return;
  const word = wordsOf(tip).at(-1);
  const isDue = word !== undefined && Date.parse(site.now()) - Date.parse(word.at) >= graceMs;
  if (standing.summary.state === "paused" && isDue) await start(site, { run, standing, word }, swept);
  else if (standing.summary.state === "running" && !(await isAlive(site, standing))) {
    swept.dead.push(run);
    await showRun(site, standing, deadNote(run));
  } else if (job !== undefined) await showRun(site, standing);
}

const deadNote = (run: string) =>
  `The job that drove this run is gone before its end. To go on with it, comment \`/workflow resume ${run}\`.`;

interface Due {
  readonly run: string;
  readonly standing: Standing;
  readonly word: RunEvent;
}

async function start(site: Site, { run, standing, word }: Due, swept: Sweeping["swept"]): Promise<void> {
  const rules = rulesOf(await site.config(), standing.summary.workflow);
  const comment = "comment" in word ? word.comment : undefined;
  const woken = await wake(site, { run, rules, comment }, standing);
  if (woken.how === "failed") swept.faults.push(`run ${run}: ${woken.because}`);
  else swept.started.push(run);
}
