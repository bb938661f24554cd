import type { ProcessContext, Shell, ShellAnswer, ShellRequest } from "../ports/shell.ts";
import { childEnvironment, type Environment } from "./environment.ts";
import { prelude, writeLargeVariables } from "./large-variables.ts";
import { pathsNamedIn } from "./named-paths.ts";
import { openPrivateTempDir } from "./private-temp-dir.ts";
import { type ProcessEnd, type ProcessRequest, runProcess } from "./process.ts";
import { programPath } from "./program-path.ts";

/** Runs scripts with the bash on PATH. `environment` is our own; scripts see only the permitted part. */
export function bashShell(environment: Environment): Shell {
  // Read once, because each access to `process.env` is a system call.
  const plain = childEnvironment(environment, {});
  const unattended = childEnvironment({ ...inCi, ...environment }, {});
  const command = programPath("bash", plain["PATH"]);
  const once = async (request: ShellRequest, context: ProcessContext, mayAsk: boolean) => {
    const scratch = openPrivateTempDir(context.artifacts);
    const base = request.role === "node" ? plain : unattended;
    const workspace = request.cwd ?? context.workspace;
    const check = { workspace, script: request.script, artifacts: context.artifacts, mayAsk };
    const report =
      request.role === "check" ? (await loadReports()).checkReport({ scratch, base, ...check }) : undefined;
    try {
      const values = { ...context.env, ...request.env, ...report?.env };
      const { env, inFiles } = writeLargeVariables({ base, values, scratch });
      const script = prelude(inFiles, values) + request.script;
      const source =
        Buffer.byteLength(script) > longestArgument ? [scratch.write("script.sh", script)] : ["-c", script];
      const args = request.strict ? [...strictOptions, ...source] : source;
      const onText = report?.hear(context.onText) ?? context.onText;
      const answered = await answer(request, { ...context, onText }, { command, env, args });
      if (report?.isRefused(answered)) return undefined;
      return report === undefined ? answered : await report.read(answered);
    } finally {
      scratch.remove();
    }
  };
  return {
    async run(request, context) {
      const answered = (await once(request, context, true)) ?? (await once(request, context, false));
      if (answered === undefined) throw new Error("a check that is asked for nothing has an answer");
      return answered;
    },
  };
}

/** Test runners that would watch for changes run once, and write no new snapshots, as in a job. */
export const inCi = { CI: "true" };

/** The script ends at the first command that fails, and a pipe fails with any of its commands. */
export const strictOptions = ["-eo", "pipefail"];

/** Loaded with the first check. To import a module takes time even if it is loaded. */
function loadReports() {
  reports ??= import("./check-report.ts");
  return reports;
}

let reports: Promise<typeof import("./check-report.ts")> | undefined;

/** Linux rejects arguments of 128 KiB or more. */
const longestArgument = 100_000;

async function answer(
  request: ShellRequest,
  context: ProcessContext,
  { command, env, args }: Pick<ProcessRequest, "command" | "env" | "args">,
): Promise<ShellAnswer> {
  const bash = { command, args, env, cwd: request.cwd ?? context.workspace, signal: context.signal };
  const readable =
    context.wrap &&
    pathsNamedIn(request.script, { home: env["HOME"], others: [context.workspace, bash.cwd] });
  const whole = { ...bash, args: [bare, ...args], readable };
  const end = await runProcess({
    ...whole,
    timeoutMs: request.timeoutMs,
    onText: context.onText,
    reap: true,
    wrap: context.wrap,
  });
  if (end.fault?.code === "ENOENT" && end.fault.message.startsWith("bash")) throw new Error(noBash);
  const answered = processAnswer(end, context.signal);
  return mayBeSyntax(answered) && (await isBroken({ ...bash, wrap: context.wrap }))
    ? { ...answered, syntaxError: true }
    : answered;
}

/** In an ssh session, bash would first read a file in the home folder, which an agent can write to. */
const bare = "--norc";

const noBash =
  "bash is not installed, or not on PATH: install it (apt-get install bash, apk add bash, brew install bash)";

const mayBeSyntax = ({ exitCode, tail }: ShellAnswer) =>
  exitCode === 2 || (exitCode === 1 && tail.includes("syntax error"));

/** Asks bash itself; also with extended patterns on, because the script may enable them before it uses them. */
async function isBroken(
  bash: Pick<ProcessRequest, "command" | "args" | "env" | "cwd" | "signal" | "wrap">,
): Promise<boolean> {
  for (const options of [["-n"], ["-n", "-O", "extglob"]]) {
    const { exitCode } = await runProcess({
      ...bash,
      args: [bare, ...options, ...bash.args],
      timeoutMs: 10_000,
    });
    if (exitCode === 0 || exitCode === undefined) return false;
  }
  return true;
}

/** Converts the end of a process to an answer. Throws the abort reason, because an aborted script has no answer. */
export function processAnswer(end: ProcessEnd, signal: AbortSignal): ShellAnswer {
  if (end.how === "aborted") throw signal.reason;
  if (end.how === "not-started") throw new Error(end.fault?.message ?? "the program could not be started");
  return {
    ...(end.exitCode === undefined ? {} : { exitCode: end.exitCode }),
    ...(end.signal === undefined ? {} : { signal: end.signal }),
    ...(end.how === "timed-out" ? { timedOut: true } : {}),
    stdout: end.stdout,
    tail: end.tail,
  };
}
