import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { type Hearing, listen } from "./hearing.ts";
import { adopt, emptyGroup, processMark, reap, signalGroup, stillRunning } from "./process-group.ts";

export interface ProcessRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of it: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array | undefined;
  /** The longest it may take. */
  readonly timeoutMs?: number | undefined;
  /** The longest it may be silent. */
  readonly idleMs?: number | undefined;
  readonly signal: AbortSignal;
  /** Hears what it prints, as whole characters. */
  readonly onText?: ((text: string, from: "stdout" | "stderr") => void) | undefined;
  /** How much of standard output is kept, head and tail; 256 KiB unless told. */
  readonly keepBytes?: number | undefined;
  /** A file that takes all of standard output. */
  readonly saveTo?: string | undefined;
  /** When it has to be killed, also kill what left its process group; with `always` also when it exits (Linux only). */
  readonly reap?: boolean | "always" | undefined;
  /** What it is asked to stop with, SIGTERM unless told, and how long it is given then; 2 s unless told. */
  readonly stop?: { readonly signal: NodeJS.Signals; readonly graceMs: number } | undefined;
  /** Signs of life besides what it prints: `heard` is to be called at each. */
  readonly signs?: ((heard: () => void) => void) | undefined;
  /** When it exits by itself, how long what it started may still run before it is ended; `reap` says which. */
  readonly afterMs?: number | undefined;
}

/** How a process went. None of its process group is alive any more. */
export interface ProcessEnd {
  readonly how: "exited" | "timed-out" | "idle" | "aborted" | "not-started";
  /** Only of a process that exited by itself. */
  readonly exitCode?: number;
  /** The signal that ended a process that we did not kill. */
  readonly signal?: NodeJS.Signals;
  /** Why it was not started: a code like `ENOENT`, and a sentence for people. */
  readonly fault?: { readonly code: string; readonly message: string };
  readonly stdout: string;
  readonly stdoutBytes: number;
  /** The last 16 KiB of standard error. */
  readonly stderr: string;
  /** The last 16 KiB of both, as they came. */
  readonly tail: string;
  /** The commands that still ran after `afterMs` and were ended. */
  readonly left?: readonly string[];
}

/** Runs one program in a process group of its own and answers when it exits, whatever it left behind. */
export async function runProcess(request: ProcessRequest): Promise<ProcessEnd> {
  const hearing = listen(request);
  const end = (how: Omit<ProcessEnd, keyof ReturnType<Hearing["heard"]>>) => ({ ...how, ...hearing.heard() });
  if (request.signal.aborted) return end({ how: "aborted" });
  const mark = `${ourMark}-${++started}`;
  const child = start(request, mark);
  if (child instanceof Error) return end({ how: "not-started", fault: fault(child, request) });
  if (child.pid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once("error", resolve));
    return end({ how: "not-started", fault: fault(error, request) });
  }
  const { exit, closed } = follow(child);
  adopt(child.pid);
  hearing.hear(child);
  const guard = watch(child.pid, request);
  hearing.onSound(guard.heard);
  request.signs?.(guard.heard);
  child.stdin?.on("error", () => {}); // it may exit without reading
  child.stdin?.end(request.stdin);

  const { code, signal } = await exit;
  const killed = guard.release();
  const left = killed === undefined ? await outlast(mark, request) : [];
  await emptyGroup(child.pid, killed?.graceMs ?? leftoverGraceMs);
  if (request.reap === "always" || (killed !== undefined && request.reap === true)) await reap(mark);
  await Promise.race([closed, silence(hearing)]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  if (killed !== undefined) return end({ how: killed.how });
  return end({
    how: "exited",
    ...(code === null ? {} : { exitCode: code }),
    ...(signal === null ? {} : { signal }),
    ...(left.length === 0 ? {} : { left }),
  });
}

const ourMark = randomBytes(8).toString("hex");
let started = 0;

/** From SIGTERM to SIGKILL: for what we stop, and for what a process left behind when it exited. */
const usualStop = { signal: "SIGTERM", graceMs: 2000 } as const;
const leftoverGraceMs = 40;
/** Node fires a longer timer at once. */
const longestTimer = 2 ** 31 - 1;

/** Gives what a process left running its time, then ends it; the commands that had to be ended. */
async function outlast(
  mark: string,
  { afterMs, reap: reaps, signal }: ProcessRequest,
): Promise<readonly string[]> {
  if (afterMs === undefined || reaps === undefined) return [];
  const left = await stillRunning(mark, { withinMs: afterMs, signal });
  if (left.length > 0) await reap(mark);
  return left;
}

function start(request: ProcessRequest, mark: string): ChildProcess | Error {
  try {
    return spawn(request.command, request.args, {
      cwd: request.cwd,
      env: { ...request.env, [processMark]: mark },
      detached: true,
      stdio: [request.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
  } catch (error) {
    return error as Error;
  }
}

function follow(child: ChildProcess) {
  const exit = new Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>(
    (resolve) => child.once("exit", (code, signal) => resolve({ code, signal })),
  );
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return { exit, closed };
}

/** Stops a process group when it takes too long, falls silent or is no longer wanted. */
function watch(group: number, request: ProcessRequest) {
  let killed: { readonly how: "timed-out" | "idle" | "aborted"; readonly at: number } | undefined;
  let kill: NodeJS.Timeout | undefined;
  let over = false;
  const { signal: stopSignal, graceMs } = request.stop ?? usualStop;
  const stop = (how: "timed-out" | "idle" | "aborted") => {
    if (killed !== undefined || over) return;
    killed = { how, at: performance.now() };
    signalGroup(group, stopSignal);
    kill = setTimeout(() => signalGroup(group, "SIGKILL"), graceMs);
  };
  const timeout = timer(request.timeoutMs, () => stop("timed-out"));
  const idle = timer(request.idleMs, () => stop("idle"));
  const abort = () => stop("aborted");
  request.signal.addEventListener("abort", abort, { once: true });
  return {
    heard: () => {
      if (!over && killed === undefined) idle?.refresh();
    },
    release() {
      over = true;
      for (const one of [timeout, idle, kill]) clearTimeout(one);
      request.signal.removeEventListener("abort", abort);
      return killed && { how: killed.how, graceMs: Math.max(0, killed.at + graceMs - performance.now()) };
    },
  };
}

const timer = (ms: number | undefined, ring: () => void) =>
  ms === undefined || ms > longestTimer ? undefined : setTimeout(ring, ms);

/** Waits until what was in the pipes at the exit has been read: a process that got away may keep them open for ever. */
async function silence(hearing: Hearing): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    const before = hearing.bytes();
    await wait(20, undefined, { ref: false });
    await turn();
    if (round > 0 && hearing.bytes() === before) return;
  }
}

function fault(
  error: NodeJS.ErrnoException,
  { command, cwd }: ProcessRequest,
): NonNullable<ProcessEnd["fault"]> {
  const code = error.code ?? "UNKNOWN";
  if (code === "ENOENT" && !existsSync(cwd)) return { code, message: `the folder ${cwd} does not exist` };
  return { code, message: sentences[code]?.(command) ?? `${command} could not be started: ${error.message}` };
}

const sentences: Readonly<Record<string, (command: string) => string>> = {
  ENOENT: (command) => `${command} is not installed, or not on PATH`,
  EACCES: (command) => `${command} may not be executed; give it the x permission (chmod +x)`,
  E2BIG: (command) => `${command} could not be started: its arguments and environment are too large`,
  EAGAIN: (command) => `${command} could not be started: too many processes are running`,
};
