import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { LogStore } from "../ports/store.ts";
import { replaceFile } from "../processes/replace-file.ts";
import { evaluationText } from "../render/evaluation.ts";
import { openRun } from "../runner/open-run.ts";
import { evaluate, type Trial } from "../status/evaluation.ts";
import { count, duration } from "../status/format.ts";
import { summarizeEvents } from "../status/run-summary.ts";
import { newRunId } from "../stores/run-id.ts";
import { readTasks, type Task } from "./eval/tasks.ts";
import { runTrial } from "./eval/trial.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { print, say } from "./print.ts";
import type { RunOptions } from "./run.ts";
import { findLocation } from "./run-environment.ts";
import { storeWithUnpushed } from "./store-with-unpushed.ts";

interface EvalOptions
  extends Pick<RunOptions, "json" | "quiet" | "cwd" | "model" | "maxCostUsd" | "isolation" | "network"> {
  readonly agent?: readonly string[];
  readonly repeat?: number;
  readonly out?: string;
  readonly replay?: string;
}

const trialsFile = "trials.jsonl";

/** The record of one trial in an evaluation's folder; its run is in `runs/`. */
interface Entry {
  readonly task: string;
  readonly agent: string;
  readonly trial: number;
  readonly run: string;
}

/** `until-green eval`: compares agents on tasks with a check; with `--replay`, from recorded trials only. */
export async function evalCommand(file: string | undefined, options: EvalOptions): Promise<ExitCode> {
  const cwd = resolve(options.cwd ?? ".");
  const folder = resolve(cwd, options.replay ?? options.out ?? "eval-results");
  if (options.replay !== undefined && !existsSync(join(folder, trialsFile)))
    throw new UsageError(`--replay ${options.replay}: there is no ${trialsFile}`);
  const record = await openRecord(folder);
  const code = options.replay === undefined ? await runTrials(file, { options, cwd, record }) : exit.ok;
  const trials = await record.trials();
  const evaluation = evaluate(trials, await record.interrupted());
  print(options.json ? `${JSON.stringify(evaluation)}\n` : `${evaluationText(evaluation)}\n`);
  return code;
}

interface Work {
  readonly options: EvalOptions;
  readonly cwd: string;
  readonly record: EvalRecord;
}

/** Runs the trials that are not recorded yet, those of one task one after the other. */
async function runTrials(file: string | undefined, { options, cwd, record }: Work): Promise<ExitCode> {
  if (file === undefined) throw new UsageError("name a file with tasks, or give --replay DIR");
  const agents = options.agent ?? [];
  if (agents.length === 0)
    throw new UsageError("give the agents to compare: --agent NAME, once or several times");
  const planned = plannedTrials(readTasks(file, cwd), { agents, repeat: options.repeat ?? 1 });
  const open = planned.filter((trial) => !record.has(trial));
  const tell = (text: string) => options.quiet || say(text);
  if (open.length < planned.length)
    tell(`${count(planned.length - open.length, "trial")} of ${planned.length} are recorded already\n`);
  for (const [index, { task, ...trial }] of open.entries()) {
    const left = options.maxCostUsd === undefined ? undefined : options.maxCostUsd - (await record.spent());
    if (left !== undefined && left <= 0) {
      tell(`--max-cost-usd is spent: ${count(open.length - index, "trial")} not run\n`);
      return exit.failed;
    }
    const runId = newRunId(task.name);
    const settings = { ...settingsOf(options), ...(left === undefined ? {} : { maxCostUsd: left }) };
    const code = await runTrial(task, { ...settings, agent: trial.agent, store: record.store, runId });
    if (code === exit.paused) {
      tell(`${task.name} with ${trial.agent} was interrupted; run the same command again to continue\n`);
      return code;
    }
    record.add({ task: task.name, ...trial, run: runId });
    tell(`[${index + 1}/${open.length}] ${task.name}, ${trial.agent}: ${await record.outcome(runId)}\n`);
  }
  return exit.ok;
}

const settingsOf = ({ model, isolation, network }: EvalOptions) => ({
  ...(model === undefined ? {} : { model }),
  ...(isolation === undefined ? {} : { isolation }),
  ...(network === undefined ? {} : { network }),
});

interface PlannedTrial {
  readonly task: Task;
  readonly agent: string;
  readonly trial: number;
}

function plannedTrials(
  tasks: readonly Task[],
  { agents, repeat }: { readonly agents: readonly string[]; readonly repeat: number },
): readonly PlannedTrial[] {
  const numbers = Array.from({ length: repeat }, (_, index) => index + 1);
  return tasks.flatMap((task) =>
    numbers.flatMap((trial) => [...new Set(agents)].map((agent) => ({ task, agent, trial }))),
  );
}

type EvalRecord = Awaited<ReturnType<typeof openRecord>>;

/** The folder of an evaluation: `trials.jsonl` maps runs to trials, and `runs/` has their logs. */
async function openRecord(folder: string) {
  const [file, store] = [join(folder, trialsFile), `dir:${join(folder, "runs")}`];
  const entries = existsSync(file) ? readEntries(file) : [];
  const { store: runs } = await findLocation({ store, cwd: "." });
  // A recorded trial has ended, so its log is read only once.
  const summaries = new Map<string, ReturnType<typeof readSummary>>();
  const summaryOf = (run: string) => {
    const summary = summaries.get(run) ?? readSummary(runs, run);
    summaries.set(run, summary);
    return summary;
  };
  return {
    store,
    has: ({ task, agent, trial }: PlannedTrial) =>
      entries.some((one) => one.task === task.name && one.agent === agent && one.trial === trial),
    add(entry: Entry) {
      entries.push(entry);
      mkdirSync(folder, { recursive: true });
      replaceFile(file, entries.map((one) => `${JSON.stringify(one)}\n`).join(""));
    },
    async outcome(run: string): Promise<string> {
      const { conclusion, iterations, usage, activeMs } = await summaryOf(run);
      const how = conclusion === "success" ? "solved" : "not solved";
      const cost = usage.cost_usd === 0 ? "" : `, $${usage.cost_usd.toFixed(2)}`;
      return `${how} in ${count(iterations, "iteration")}, ${duration(activeMs)}${cost}`;
    },
    /** The runs of interrupted trials: each was restarted as another run, but its cost was spent. */
    async interrupted() {
      const known = new Set(entries.map(({ run }) => run));
      const others = (await runs.list()).filter((run) => !known.has(run));
      return await Promise.all(others.map(summaryOf));
    },
    async spent() {
      const ended = await Promise.all(entries.map(({ run }) => summaryOf(run)));
      const all = [...ended, ...(await this.interrupted())];
      return all.reduce((sum, { usage }) => sum + usage.cost_usd, 0);
    },
    trials: (): Promise<readonly Trial[]> =>
      Promise.all(
        entries.map(async ({ task, agent, run }) => ({ task, agent, summary: await summaryOf(run) })),
      ),
  };
}

function readEntries(file: string): Entry[] {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line, index) => {
    try {
      return JSON.parse(line) as Entry;
    } catch {
      throw new UsageError(`${file}: line ${index + 1} is not JSON: remove it, and its trial runs again`);
    }
  });
}

async function readSummary(store: LogStore, run: string) {
  const { session } = await openRun(storeWithUnpushed(store), run);
  return summarizeEvents(session.take());
}
