import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunEvent } from "../../src/engine/run-events.ts";
import { builtCommandLine } from "./built.ts";
import { eventsIn, openPlace, type Place, runId, type Store, type } from "./kill-place.ts";

/** The results of runs that were killed with SIGKILL at random moments. */
export interface KillReport {
  kills: number;
  runs: number;
  /** Calls of agents and scripts that started. */
  calls: number;
  /** Calls that ran again because they were in flight at a kill, and how many of them the log names. */
  again: number;
  messages: number;
  /** Violations, as text. */
  readonly faults: string[];
}

const program = builtCommandLine();
/** Approximate number for a process of the workflow below. */
const mostWrites = 150;

/** Parallel nodes, items in worktrees, a gate, and a loop with a check. */
const workflow = (calls: string) => {
  const bash = (name: string) =>
    `echo "$UNTIL_GREEN_PATH" >> ${calls}; mkdir -p out; echo ${name} > out/${name}`;
  return `name: kills
interactive: true
nodes:
  - { id: plan, bash: '${bash("plan")}' }
  - { id: left, depends_on: [plan], prompt: left }
  - { id: right, depends_on: [plan], prompt: right }
  - { id: each, depends_on: [left, right], loop: { for_each: [one, two, three], prompt: "item $LOOP_ITEM", isolation: worktree, max_concurrency: 2 } }
  - { id: look, depends_on: [each], approval: { message: ok } }
  - { id: fix, depends_on: [look], loop: { prompt: "fix $LOOP_ITERATION", until_bash: test -e out/fix-3, max_iterations: 5 } }
  - { id: last, depends_on: [fix], bash: '${bash("last")}' }
`;
};

/** Writes the file named in the last line of its prompt. */
const agent = (calls: string) =>
  `command:prompt=$(tail -n 1); echo "$UNTIL_GREEN_PATH" >> ${calls}; sleep 0.1; mkdir -p out; echo "$prompt" > "out/$(echo "$prompt" | tr ' ' '-')"; echo "did $prompt"`;

interface Kills {
  readonly kills: number;
  readonly random: () => number;
  /** How the next process is killed; default random. */
  readonly next?: (kills: number) => Kill;
  /** No run starts after this time. */
  readonly mostMs?: number;
}

/** Kills runs of one workflow until the number of kills is reached, and compares each with an undisturbed run. */
export async function killRuns(
  store: Store,
  { kills, random, next, mostMs = Number.POSITIVE_INFINITY }: Kills,
): Promise<KillReport> {
  const report: KillReport = { kills: 0, runs: 0, calls: 0, again: 0, messages: 0, faults: [] };
  const top = mkdtempSync(join(tmpdir(), "kills-"));
  let isWhole = false;
  try {
    const straight = placeIn(join(top, "straight"), store);
    const began = performance.now();
    await drive(straight, () => ({}));
    const whole = performance.now() - began;
    const should = await outcomeOf(straight);
    while (report.kills < kills && performance.now() - began < mostMs) {
      const place = placeIn(join(top, `run-${report.runs}`), store);
      const most = Math.min(kills - report.kills, 2 + Math.floor(random() * 8));
      const made = await drive(place, (made) =>
        made < most ? (next?.(made) ?? anyKill(random, whole)) : {},
      );
      judge(report, { made, was: await outcomeOf(place), should, run: report.runs });
      rmSync(place.folder, { recursive: true, force: true });
    }
    isWhole = true;
    return report;
  } finally {
    // A run that does not end is kept for inspection.
    if (isWhole) rmSync(top, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Half by time, half by writes: most steps take no time, and most time is spent waiting. */
const anyKill = (random: () => number, wholeMs: number): Kill =>
  random() < 0.5 ? { afterMs: random() * wholeMs * 0.7 } : { atWrite: 1 + Math.floor(random() * mostWrites) };

/** Outside the checkout, which items copy. */
const callsOf = ({ folder }: Pick<Place, "folder">) => join(folder, "calls");

const placeIn = (folder: string, store: Store): Place =>
  openPlace({ folder, store, program }, { "w.yml": workflow(callsOf({ folder })) });

/** When a process is killed; default never. */
interface Kill {
  readonly afterMs?: number;
  /** The number of the write, counting all writes or those to matching paths. */
  readonly atWrite?: number;
  readonly file?: string;
}

/** Drives a run to its end, killing each process as specified; returns the number of kills. */
async function drive(place: Place, killOf: (kills: number) => Kill): Promise<number> {
  let kills = 0;
  const turns: string[] = [];
  const note = (args: readonly string[], { code, errors }: Ended) =>
    void turns.push(`${args[0]}: ${code ?? "killed"} ${errors.trim().slice(-1_000)}`);
  while (turns.length < 200) {
    const status = await until(place, ["status", runId, "--json"]);
    const last = status.events.at(-1)?.type;
    note(["status"], status);
    if (last === "run.ended") return kills;
    const args = commandFor(place, { isStarted: status.code === 0, last });
    const end = await until(place, args, killOf(kills));
    note(args, end);
    if (end.code === null) kills += 1;
  }
  throw new Error(`the run in ${place.folder} does not end; last:\n${turns.slice(-6).join("\n")}`);
}

function commandFor(place: Place, { isStarted, last }: { isStarted: boolean; last: string | undefined }) {
  const calls = callsOf(place);
  if (!isStarted) return ["run", "w.yml", "--agent", agent(calls), "--run-id", runId, "--isolation", "off"];
  return last === "run.paused" ? ["approve", runId] : ["resume", runId];
}

interface Ended {
  readonly code: number | null;
  readonly events: readonly RunEvent[];
  readonly errors: string;
}

async function until(place: Place, args: readonly string[], kill: Kill = {}): Promise<Ended> {
  const { atWrite, file = "", afterMs } = kill;
  const { code, out, errors } = await type(place, args, {
    ...(atWrite !== undefined && { hook: { KILL_AT_WRITE: String(atWrite), KILL_AT_FILE: file } }),
    ...(afterMs !== undefined && { end: { signal: "SIGKILL", afterMs } }),
  });
  return { code, errors, events: args.includes("--json") ? eventsIn(out) : [] };
}

interface Outcome {
  readonly events: readonly RunEvent[];
  readonly calls: readonly string[];
  /** The content of the workspace. */
  readonly files: string;
}

async function outcomeOf(place: Place): Promise<Outcome> {
  const { events } = await until(place, ["status", runId, "--json"]);
  const file = callsOf(place);
  const calls = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  const out = join(place.checkout, "out");
  const files = existsSync(out) ? readdirSync(out).toSorted() : [];
  const hash = createHash("sha256");
  for (const name of files) hash.update(`${name}\0${readFileSync(join(out, name), "utf8")}\0`);
  return { events, calls, files: `${files.join(" ")} ${hash.digest("hex")}` };
}

function judge(
  report: KillReport,
  { made, was, should, run }: { made: number; was: Outcome; should: Outcome; run: number },
): void {
  const fault = (what: string) => void report.faults.push(`run ${run}: ${what}`);
  const answered = was.events.flatMap((event) => (event.type === "agent.answered" ? [event.path] : []));
  const messages = was.events.filter(
    (event) => event.type === "notice" && ["BEGUN_AGAIN", "CUT_OFF"].includes(event.code),
  ).length;
  const again = was.calls.length - new Set(was.calls).size;
  const end = was.events.at(-1);
  if (end?.type !== "run.ended" || end.conclusion !== "success") fault(`it ended as ${JSON.stringify(end)}`);
  if (answered.length !== new Set(answered).size) fault("a call was answered twice");
  if (answered.length !== should.events.filter(({ type }) => type === "agent.answered").length)
    fault(`${answered.length} calls were answered`);
  if ([...new Set(was.calls)].toSorted().join() !== [...new Set(should.calls)].toSorted().join())
    fault(`other calls were made: ${was.calls.join(" ")}`);
  if (again > messages) fault(`${again} calls ran again, and ${messages} were named`);
  if (was.files !== should.files) fault(`the workspace is ${was.files}, not ${should.files}`);
  report.runs += 1;
  report.kills += made;
  report.calls += was.calls.length;
  report.again += again;
  report.messages += messages;
}
