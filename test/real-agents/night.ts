import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { builtCommandLine } from "../parts/built.ts";
import {
  bodyOf,
  eventsOf,
  type Fault,
  openFaultyModel,
  refuses,
  resets,
  type Wire,
  writeEvents,
} from "../parts/faulty-model.ts";
import { openModelServer, scripted } from "../parts/model-server.ts";
import { agentClis } from "./agent-clis.ts";
import { key, stages } from "./stages.ts";

const rounds = 8;
/** An answer of the scripted model takes 120 tokens. */
const tokensOfAnswer = 120;
const patience = "15s";

/** What a provider does in a bad night, each in its turn. */
const faults: Readonly<Record<string, Fault>> = {
  overload: refuses(529, { type: "overloaded_error", message: "Overloaded" }),
  "rate limit": refuses(429, { type: "rate_limit_error", message: "slow down" }, { "retry-after": "2" }),
  "error of the server": refuses(500, { type: "api_error", message: "Internal server error" }),
  reset: resets,
  unavailable: refuses(503, { type: "api_error", message: "Service unavailable" }),
  "bad gateway": (response) => void response.writeHead(502, { "content-type": "text/html" }).end("<html>"),
  "stream that breaks off": (response, wire) => {
    half(response, wire);
    setImmediate(() => response.destroy());
  },
  "error in a stream": (response, wire) => {
    half(response, wire);
    const busy = { type: "overloaded_error", message: "Overloaded" };
    const failed = { type: "error", code: "server_is_overloaded", message: "Overloaded" };
    writeEvents(response, wire, [wire === "responses" ? failed : { type: "error", error: busy }]);
    response.end();
  },
  silence: (response, wire) => half(response, wire),
  "silence before the headers": () => undefined,
  "stream that is no JSON": bodyOf("text/event-stream", "data: {oops\n\n"),
  "JSON that breaks off": bodyOf("application/json", '{"id": "m'),
  "web page": bodyOf("text/html", "<html>We will be back soon.</html>"),
  nothing: bodyOf(undefined, ""),
  // Longer than anybody here is patient: the run rests.
  "long rate limit": refuses(
    429,
    { type: "rate_limit_error", message: "slow down" },
    { "retry-after": "3600" },
  ),
};

/** The beginning of an answer, in the middle of its text: what a program had whole it would keep. */
const half = (response: Parameters<Fault>[0], wire: Wire) => {
  const events = eventsOf(wire, { text: "in vain" });
  const text = { content: { role: "model", parts: [{ text: "in vain" }] }, index: 0 };
  const started = wire === "gemini" ? [{ candidates: [text] }] : events.slice(0, wire === "chat" ? 1 : 3);
  writeEvents(response, wire, started);
};

interface Night {
  readonly agent: string;
  readonly faults: number;
}

export interface NightReport {
  readonly faults: number;
  /** Number of classes of faults. */
  readonly classes: number;
  readonly requests: number;
  readonly steps: number;
  readonly waits: number;
  readonly pauses: number;
  readonly seconds: number;
  /** What the log says of each wait and pause. */
  readonly explained: readonly string[];
  /** What went wrong, as sentences. */
  readonly wrong: readonly string[];
}

type Event = Readonly<Record<string, unknown>>;

/** Plays a night, and after it a run whose budget ends in the middle. */
export async function playNight({ agent, faults: wanted }: Night): Promise<NightReport> {
  const began = Date.now();
  const stage = stageOf(agent);
  const perRound = Math.max(3, Math.ceil(wanted / rounds));
  const good = rounds * (perRound + 1);
  const night = await play({ stage, perRound, wanted, limits: [] });
  const cap = Math.floor(good / 2) * tokensOfAnswer - 1;
  const capped = await play({ stage, perRound, wanted: 0, limits: ["--max-tokens", String(cap)] });
  const over = endOf(capped.events);
  const spent = tokensIn(over);
  const wrong = [
    ...(endOf(night.events)?.["conclusion"] === "success"
      ? []
      : [`it ended with ${JSON.stringify(endOf(night.events))}`]),
    ...(night.faults === wanted ? [] : [`only ${night.faults} faults were due`]),
    ...(night.steps.join() === night.expected.join() ? [] : [`steps: ${night.steps.join(" ")}`]),
    ...(night.bought === good ? [] : [`${night.bought} answers were bought, ${good} were needed`]),
    ...unexplained(night.events),
    ...(over?.["stop_reason"] === "budget" ? [] : [`the capped run ended with ${JSON.stringify(over)}`]),
    ...(spent < cap + tokensOfAnswer ? [] : [`${spent} tokens were spent, ${cap} were allowed`]),
  ];
  return {
    faults: night.faults,
    classes: Math.min(wanted, Object.keys(faults).length),
    requests: night.requests,
    steps: night.steps.length,
    waits: night.events.filter(({ type }) => type === "node.retried").length,
    pauses: night.events.filter(({ type }) => type === "run.paused").length,
    seconds: Math.round((Date.now() - began) / 1_000),
    explained: night.events.flatMap(explanationOf),
    wrong,
  };
}

const endOf = (events: readonly Event[]) => events.findLast(({ type }) => type === "run.ended");

function tokensIn(end: Event | undefined): number {
  const { input_tokens = 0, output_tokens = 0 } = (end?.["usage"] ?? {}) as Record<string, number>;
  return input_tokens + output_tokens;
}

function explanationOf({ type, reason, stop_reason, wake_at }: Event): readonly string[] {
  if (type === "node.retried") return [String(reason)];
  return type === "run.paused" ? [`paused (${stop_reason}), wakes at ${wake_at}`] : [];
}

/** Waits that the log does not explain: each event names its fault, its length and its end, each pause its reason. */
function unexplained(events: readonly Event[]): readonly string[] {
  return events.flatMap((event) => {
    const { type, reason = "", fault, stop_reason = "", wake_at } = event as Record<string, string>;
    const isWait = type === "node.retried";
    if (isWait && (!/; (trying again in \d+ s,|pausing) until 20/.test(reason ?? "") || fault === undefined))
      return [`a wait is not explained: ${JSON.stringify(event)}`];
    if (type === "run.paused" && (!/^(outage|rate-limit)$/.test(stop_reason ?? "") || wake_at === undefined))
      return [`a pause is not explained: ${JSON.stringify(event)}`];
    return [];
  });
}

interface Stage {
  readonly agent: string;
  readonly model: string;
  runs(command: string): { readonly name: string; readonly args: unknown };
  env(url: string): Readonly<Record<string, string>>;
}

function stageOf(agent: string): Stage {
  if (agent === "api")
    return {
      agent: "api:anthropic",
      model: "a-model",
      runs: (command) => ({ name: "bash", args: { command } }),
      env: (url) => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url }),
    };
  const stage = Object.values(stages).find(({ name }) => name === agent);
  if (stage === undefined)
    throw new Error(`there is no agent ${agent}: api, ${Object.keys(stages).join(", ")}`);
  const { model, secret, runs, environment } = stage;
  return { agent, model, runs, env: (url) => ({ [secret]: key, ...environment(url) }) };
}

interface Play {
  readonly stage: Stage;
  readonly perRound: number;
  /** The number of faults. */
  readonly wanted: number;
  readonly limits: readonly string[];
}

async function play({ stage, perRound, wanted, limits }: Play) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "until-green-night-")));
  const server = await openModelServer();
  const trouble = { requests: 0, faults: 0 };
  const front = await openFaultyModel(server.url, (body) => {
    if (!body.includes("[[SCRIPT]]")) return undefined;
    trouble.requests += 1;
    // Not two in a row: some programs are patient for longer than the night is here.
    if (trouble.faults >= wanted || trouble.requests % 2 === 1) return undefined;
    trouble.faults += 1;
    return Object.values(faults)[(trouble.faults - 1) % Object.keys(faults).length];
  });
  try {
    const workspace = openWorkspace(folder);
    const names = (round: number) => Array.from({ length: perRound }, (_, at) => `${round}.${at + 1}`);
    const all = Array.from({ length: rounds }, (_, at) => names(at + 1));
    const script = all.map((own) => [
      ...own.map((name) => ({ tools: [stage.runs(`echo ${name} >> steps.txt`)] })),
      { text: "This round is over." },
    ]);
    const loop = {
      prompt: scripted("Round $LOOP_ITERATION.", script),
      until_bash: `test "$(cat steps.txt | wc -l)" -ge ${rounds * perRound}`,
      max_iterations: rounds + 2,
    };
    const nodes = [{ id: "fix", loop }];
    const { agent, model } = stage;
    writeFileSync(join(folder, "loop.yml"), JSON.stringify({ name: "night", agent, model, nodes }));
    const events = await runToTheEnd(["run", join(folder, "loop.yml"), "--run-id", "night-0001", ...limits], {
      workspace,
      env: { HOME: folder, UNTIL_GREEN_MODEL_SILENCE_SECONDS: "8", ...stage.env(front.url) },
      store: `dir:${join(folder, "runs")}`,
    });
    const file = join(workspace, "steps.txt");
    return {
      ...trouble,
      events: events,
      steps: existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [],
      expected: all.flat(),
      bought: server.seen().filter(({ text }) => text.includes("[[SCRIPT]]")).length,
    };
  } finally {
    await front.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function openWorkspace(folder: string): string {
  const workspace = join(folder, "checkout");
  mkdirSync(workspace);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: workspace });
  git("init", "-q");
  writeFileSync(join(workspace, "steps.txt"), "");
  git("add", "-A");
  git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "begin");
  return workspace;
}

interface Machine {
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  readonly store: string;
}

/** Runs it, and resumes it at once when it rests: in a real night a sweep or the next job does, in time. */
async function runToTheEnd(args: readonly string[], machine: Machine): Promise<readonly Event[]> {
  const events = [...(await command(args, machine))];
  for (let left = 60; left > 0 && events.at(-1)?.["type"] === "run.paused"; left -= 1)
    events.push(...(await command(["resume", "night-0001"], machine)));
  return events;
}

async function command(
  args: readonly string[],
  { workspace, env, store }: Machine,
): Promise<readonly Event[]> {
  const main = builtCommandLine();
  const path = [join(agentClis, "node_modules", ".bin"), dirname(process.execPath), process.env["PATH"]];
  const all = [main, ...args, "--json", "--store", store, "--patience", patience];
  const child = spawn(process.execPath, all, {
    cwd: workspace,
    env: { ...env, PATH: path.join(delimiter) },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 15 * 60_000,
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  if (lines.length === 0) throw new Error(stderr);
  return lines.map((line) => JSON.parse(line) as Event);
}
