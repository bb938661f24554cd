/**
 * `npm run simulate:planted -- [--seeds N] [--minutes M] [WORDS]`: plants one bug at a time in a copy of the sources
 * (only those whose names contain the words) and reports which ones the simulator finds. Each is a change that a
 * person could make. Two at a time; none starts after M minutes (20).
 */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const appendEvents = "src/runner/append-events.ts";
const push = "src/stores/git/push.ts";
const refs = "src/stores/git/run-refs.ts";
const buffered = "src/stores/git/buffered-run.ts";
const store = "src/stores/git-ref.ts";
const unpushed = "src/stores/git/unpushed.ts";
const decisions = "src/runner/append-decision.ts";

const bugs: readonly (readonly [what: string, file: string, from: string, to: string])[] = [
  ["lines of another run are taken over", appendEvents, "...(isAnother ? [] : events)", "...events"],
  [
    "own events are forgotten after a conflict",
    appendEvents,
    "...facts.filter((event) => !undone.has(writeEvent(event)))",
    "...facts.slice(facts.length)",
  ],
  [
    "undone events are forgotten after a conflict",
    appendEvents,
    "...(isAnother ? [] : events)",
    "...events.slice(events.length)",
  ],
  ["every event is news after a conflict", appendEvents, "(event) => isNews(session, event)", "() => true"],
  [
    "nobody notices that the run was taken over",
    appendEvents,
    "if (others(now).length > others(driven.run).length)",
    "if (others(now).length < 0)",
  ],
  ["what is begun is not put on record", appendEvents, "[...facts, ...begun, ", "[...facts, "],
  [
    "what was begun is begun again at each append",
    appendEvents,
    "&& !session.hasStarted(path)",
    "&& path !== undefined",
  ],
  ["a claim is not pushed at once", appendEvents, 'type.startsWith("run.")', 'type.startsWith("never")'],
  ["the end is not written down", appendEvents, ", ...closingEvents(session, now())", ""],
  [
    "what overtook a push is not looked at",
    push,
    "if (tip !== record.tip?.id) {",
    "if (tip === undefined) {",
  ],
  ["a lost push counts as won", push, "return record.counts.has(link.id);", "return true;"],
  [
    "a won push that was overtaken counts as lost",
    push,
    "return record.counts.has(link.id);",
    "return false;",
  ],
  [
    "our own commit is taken for another's",
    refs,
    "if (link.id === record.inFlight?.id) {",
    "if (link.id === '') {",
  ],
  [
    "what is appended during a push is forgotten",
    refs,
    "record.pending = record.pending.slice(link.lines.length);",
    "record.pending = [];",
  ],
  ["what others undo is forgotten", refs, "record.undone.push(...record.pending);", ""],
  ["lines of a killed process are not taken up", buffered, "  takeUpPending(record);\n\n", "\n"],
  [
    "lines of a killed process are all pushed again",
    buffered,
    "const left = first < 0 ? [] : lines.slice(first);",
    "const left = lines;",
  ],
  ["what waits behind a push is dropped", buffered, "  waitBehindTip(record);\n  //", "  //"],
  [
    "what was overtaken during a push is dropped",
    buffered,
    "if (record.undone.length === 0) dropPending",
    "dropPending",
  ],
  ["a late append is taken", buffered, "      refuseLate(record, after);\n", ""],
  [
    "an append hears of no conflict",
    buffered,
    "      begun = true;\n      sayUndone(record);",
    "      begun = true;",
  ],
  ["a late decision is appended", store, "  if (record.lines.length !== after) throw stale();\n", ""],
  [
    "a decision that lost is taken for won",
    store,
    "  if (!(await push(record, { ...more, lines, epoch, work, artifacts, sessions }))) throw stale();",
    "  await push(record, { ...more, lines, epoch, work, artifacts, sessions });",
  ],
  [
    "the decision is appended without what it ends",
    decisions,
    "...closingEvents(run.session, chosen.record.at)",
    "",
  ],
  [
    "a decision that came too late is reported as recorded",
    decisions,
    "if (!(error instanceof StaleLogError)) throw error;",
    "if (error instanceof StaleLogError) return { session: run.session, events };",
  ],
  [
    "an agent is started without a look at who drives the run",
    appendEvents,
    "await environment.store.assertCurrent?.(driven.runId, run.lines);",
    "",
  ],
  [
    "a failed write is passed over",
    buffered,
    "|| useReserve(dir, error))) throw error;",
    "|| useReserve(dir, error))) return;",
  ],
  ["unpushed lines of this process are removed too", unpushed, "if (name !== nameOf(base)) rmSync", "rmSync"],
  [
    "a lock that another process holds is ignored",
    store,
    'if (!("release" in taken))',
    'if (!("release" in taken)) Object.assign(taken, { release: () => undefined });\n  if (!("release" in taken))',
  ],
  [
    "lines of a commit count as before it",
    refs,
    "record.counts.set(link.id, record.lines.length);",
    "record.counts.set(link.id, record.lines.length - link.lines.length);",
  ],
];

const { values, positionals } = parseArgs({
  options: { seeds: { type: "string", default: "400" }, minutes: { type: "string", default: "20" } },
  allowPositionals: true,
});
const [words = ""] = positionals;
const planted = bugs.filter(([what]) => what.includes(words));
const top = resolve(import.meta.dirname, "..");
for (const [, file, from] of bugs)
  if (!readFileSync(join(top, file), "utf8").includes(from))
    throw new Error(`${file} has changed: it holds no ${JSON.stringify(from)}`);
const folder = mkdtempSync(join(tmpdir(), "planted-"));
const end = performance.now() + Number(values.minutes) * 60_000;

interface Ended {
  /** `undefined` if it was stopped. */
  readonly status: number | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** Plays histories in a copy of the sources. */
function simulate(copy: string, mostMs: number): Promise<Ended> {
  const began = performance.now();
  return new Promise((ended) => {
    const words = ["scripts/simulate.ts", "--seeds", values.seeds, "--first"];
    execFile(process.execPath, words, { cwd: copy, timeout: mostMs }, (error, stdout, stderr) => {
      const status = error === null ? 0 : error.killed === true ? undefined : Number(error.code);
      ended({ status, stdout, stderr, ms: performance.now() - began });
    });
  });
}

function copyOf(name: string): string {
  const copy = join(folder, name);
  for (const part of ["src", "test", "scripts", "package.json", "tsconfig.json"])
    cpSync(join(top, part), join(copy, part), { recursive: true });
  symlinkSync(join(top, "node_modules"), join(copy, "node_modules"));
  return copy;
}

let found = 0;
let played = 0;

/** Takes one bug after the other until none is left or the time is up. */
async function work(copy: string, left: (typeof bugs)[number][], soundMs: number): Promise<void> {
  for (let bug = left.shift(); bug !== undefined && performance.now() < end; bug = left.shift()) {
    const [what, file, from, to] = bug;
    const path = join(copy, file);
    const sound = readFileSync(path, "utf8");
    writeFileSync(
      path,
      sound.replace(from, () => to),
    );
    // Only this timeout detects a history that never ends. The machine may have become busier meanwhile.
    const { status, stdout, stderr, ms } = await simulate(copy, 30_000 + Math.round(3 * soundMs));
    writeFileSync(path, sound);
    const isFound = status !== 0;
    played += 1;
    if (isFound) found += 1;
    // A bug may also crash the simulator itself.
    const told = stdout.split("\n", 2).join("") || (/^\w*Error.*/m.exec(stderr)?.[0] ?? "");
    const how = status === undefined ? "it hangs" : told;
    console.log(`${isFound ? "found " : "MISSED"} ${what} (${(ms / 1000).toFixed(0)} s): ${how}`);
  }
}

try {
  const copies = Array.from({ length: 2 }, (_, index) => copyOf(`${index}`));
  const sound = await simulate(copies[0] as string, 600_000);
  if (sound.status !== 0) throw new Error(`the simulator finds something without a bug:\n${sound.stdout}`);
  const left = [...planted];
  await Promise.all(copies.map((copy) => work(copy, left, sound.ms)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const unplayed = planted.length - played;
console.log(
  `${found} of ${planted.length} planted bugs found${unplayed === 0 ? "" : `, ${unplayed} not tried`}`,
);
process.exitCode = found >= Math.ceil(planted.length * 0.95) ? 0 : 1;
