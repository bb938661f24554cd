import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import type { Walled, WalledLaunch } from "../ports/isolation.ts";
import { openCommandFiles } from "./command-files.ts";
import { watchPipes } from "./pipe-watch.ts";
import {
  killMarked,
  killOnExit,
  type MarkedStart,
  processMarker,
  signalGroup,
  stillRunning,
  terminateGroup,
} from "./process-group.ts";
import type { OutputCapture } from "./process-output.ts";
import { programPath } from "./program-path.ts";
import { endOf, watchResources } from "./resource-watch.ts";
import { startFault } from "./start-fault.ts";
import { type ProgramStart, startProgram } from "./start-program.ts";

export interface ProcessRequest extends ProgramStart {
  /** Time limit, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Limit of silence, in milliseconds. */
  readonly idleMs?: number | undefined;
  readonly signal: AbortSignal;
  /** Receives the output, in whole characters. */
  readonly onText?: ((text: string, from: "stdout" | "stderr") => void) | undefined;
  /** How much of standard output to keep, head and tail; default: 256 KiB. */
  readonly keepBytes?: number | undefined;
  /** A file for all of standard output. */
  readonly saveTo?: string | undefined;
  /** Also kill processes that left its group: `true` if it has to be killed, `always` in any case (Linux only). */
  readonly reap?: boolean | "always" | undefined;
  /** Stop signal (default: SIGTERM), and grace period before SIGKILL (default: 2 s). */
  readonly stop?: { readonly signal: NodeJS.Signals; readonly graceMs: number } | undefined;
  /** Signs of life other than output: `onSign` is called for each. */
  readonly signs?: ((onSign: () => void) => void) | undefined;
  /** Called when it is stopped, before it can notice. */
  readonly onStop?: (() => void) | undefined;
  /** How long its children may keep running after it exits by itself. Then they are killed, and listed in `left`. */
  readonly afterMs?: number | undefined;
  /** Folders it may write to besides the checkout. */
  readonly writable?: readonly string[] | undefined;
  /** Files and folders that it may read besides. */
  readonly readable?: readonly string[] | undefined;
  /** Ports of this machine, and hosts, that it needs regardless of the network rule. */
  readonly loopback?: readonly number[] | undefined;
  readonly hosts?: readonly string[] | undefined;
  /** Puts its launch behind the walls of this machine. */
  readonly wrap?: Walled["wrap"] | undefined;
}

/** How a process ended. Its process group is empty. */
export interface ProcessEnd {
  readonly how: "exited" | "timed-out" | "idle" | "aborted" | "not-started";
  /** Only if the process exited by itself. */
  readonly exitCode?: number;
  /** The signal that ended it, if we did not send it. */
  readonly signal?: NodeJS.Signals;
  /** Set if it was killed because it left too little memory; the exit code is 137 then. */
  readonly outOfMemory?: true;
  /** Why it did not start: a code such as `ENOENT`, and a sentence for people. */
  readonly fault?: { readonly code: string; readonly message: string };
  readonly stdout: string;
  readonly stdoutBytes: number;
  /** The last 16 KiB of standard error. */
  readonly stderr: string;
  /** Both streams as a terminal shows them, interleaved as they arrived: at most 16 KiB, the start and the end. */
  readonly tail: string;
  /** Commands that were still running after `afterMs` and were killed. */
  readonly left?: readonly string[];
}

/** Runs one program in its own process group; resolves when it exits, even if it leaves processes behind. */
export async function runProcess(request: ProcessRequest): Promise<ProcessEnd> {
  const files = openCommandFiles(request.env);
  try {
    const writable = [...(request.writable ?? []), ...files.folders];
    return await runGroup({ ...request, writable, env: { ...request.env, ...files.env } });
  } finally {
    files.remove();
  }
}

/** Loaded with the first program. To import a module takes time even if it is loaded. */
function loadOutput() {
  output ??= import("./process-output.ts");
  return output;
}

let output: Promise<typeof import("./process-output.ts")> | undefined;

async function runGroup(request: ProcessRequest): Promise<ProcessEnd> {
  const { captureOutput } = await loadOutput();
  const capture = captureOutput(request);
  const end = (how: Omit<ProcessEnd, keyof ReturnType<OutputCapture["captured"]>>) => ({
    ...how,
    ...capture.captured(),
  });
  if (request.signal.aborted) return end({ how: "aborted" });
  const start = Date.now() - clockTickMs;
  const mark = `${ourMark}-${++started}`;
  const launch = await launchOf(request, mark);
  const close = launch instanceof Error ? undefined : launch.close;
  const child = launch instanceof Error ? launch : await startProgram({ ...request, ...launch });
  if (child instanceof Error) {
    close?.();
    return end({ how: "not-started", fault: startFault(child, request) });
  }
  const first = { mark, pid: child.pid, at: performance.now() };
  const exit = exitOf(child);
  killOnExit(child.pid);
  capture.take(child);
  const guard = watch(child.pid, request);
  const watched = { pid: child.pid, cwd: request.cwd, say: capture.add, start };
  const resources = watchResources(watched, () => signalGroup(child.pid, "SIGKILL"));
  const stopPipes = watchPipes(watched);
  capture.onSound(guard.refreshIdle);
  request.signs?.(guard.refreshIdle);

  const { code, signal } = await exit;
  const exhausted = resources.stop();
  stopPipes();
  const killed = guard.release();
  const left = killed === undefined ? await outlast(first, request) : [];
  await terminateGroup(child.pid, killed?.graceMs ?? leftoverGraceMs);
  if (request.reap === "always" || (killed !== undefined && request.reap === true)) await killMarked(first);
  await capture.drained();
  child.stdout?.destroy();
  child.stderr?.destroy();
  capture.add(close?.() ?? "");
  if (killed !== undefined) return end({ how: killed.how });
  if (exhausted !== undefined) return end(endOf(exhausted, capture.add));
  return end({
    how: "exited",
    ...(code === null ? {} : { exitCode: code }),
    ...(signal === null ? {} : { signal }),
    ...(left.length === 0 ? {} : { left }),
  });
}

/** The clock of files is that much behind at most. */
const clockTickMs = 10;
const ourMark = randomBytes(8).toString("hex");
let started = 0;

/** The time from SIGTERM to SIGKILL: for processes we stop, and for processes left behind. */
const usualStop = { signal: "SIGTERM", graceMs: 2000 } as const;
const leftoverGraceMs = 40;
/** Node fires longer timers immediately. */
const longestTimer = 2 ** 31 - 1;

/** Gives the processes left behind some time, then kills them; returns their commands. */
async function outlast(
  first: MarkedStart,
  { afterMs, reap: reaps, signal }: ProcessRequest,
): Promise<readonly string[]> {
  if (afterMs === undefined || reaps === undefined) return [];
  const left = await stillRunning(first.mark, { withinMs: afterMs, signal });
  if (left.length > 0) await killMarked(first);
  return left;
}

/** What is actually started: the program, or the code that builds the walls around it. */
async function launchOf(request: ProcessRequest, mark: string): Promise<WalledLaunch | Error> {
  const { command, args, wrap, writable, readable, loopback, hosts } = request;
  const env = { ...request.env, [processMarker]: mark };
  const launch = { command, args, env, writable, readable, loopback, hosts };
  if (wrap === undefined) return launch;
  const missing = missingProgram(request);
  return missing ?? (await wrap(launch));
}

/** Checked first: otherwise the walls would be built before the missing program is noticed. */
function missingProgram({ command, cwd, env }: ProcessRequest): Error | undefined {
  const path = programPath(command, env["PATH"]);
  try {
    accessSync(cwd);
    if (!path.includes("/")) return Object.assign(new Error(`spawn ${command} ENOENT`), { code: "ENOENT" });
    accessSync(resolve(cwd, path), constants.X_OK);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

const exitOf = (child: ChildProcess) =>
  new Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>((resolve) =>
    child.once("exit", (code, signal) => resolve({ code, signal })),
  );

/** Stops a process group on time limit, silence or abort. */
function watch(group: number, request: ProcessRequest) {
  let killed: { readonly how: "timed-out" | "idle" | "aborted"; readonly at: number } | undefined;
  let kill: NodeJS.Timeout | undefined;
  let over = false;
  const { signal: stopSignal, graceMs } = request.stop ?? usualStop;
  const stop = (how: "timed-out" | "idle" | "aborted") => {
    if (killed !== undefined || over) return;
    killed = { how, at: performance.now() };
    request.onStop?.();
    signalGroup(group, stopSignal);
    kill = setTimeout(() => signalGroup(group, "SIGKILL"), graceMs);
  };
  const timeout = timer(request.timeoutMs, () => stop("timed-out"));
  const idle = timer(request.idleMs, () => stop("idle"));
  const abort = () => stop("aborted");
  if (request.signal.aborted) abort();
  else request.signal.addEventListener("abort", abort, { once: true });
  return {
    refreshIdle: () => {
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
