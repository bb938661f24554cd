import type { ProcessContext, Shell, ShellAnswer, ShellRequest } from "../ports/shell.ts";
import { childEnvironment, type Environment } from "./environment.ts";
import { type ProcessRequest, runProcess } from "./process.ts";
import { processAnswer } from "./process-answer.ts";
import { programPath } from "./program-path.ts";
import { openScratch } from "./scratch.ts";
import { layOutVariables, prelude } from "./variables.ts";

/** Runs scripts with the bash on PATH; `environment` is this process's own, of which scripts see what they may. */
export function bashShell(environment: Environment): Shell {
  // Read once: each look at a variable of this process is a call of its own.
  const base = childEnvironment(environment, {});
  const command = programPath("bash", base["PATH"]);
  return {
    async run(request, context) {
      const scratch = openScratch(context.artifacts);
      try {
        const values = { ...context.env, ...request.env };
        const { env, inFiles } = layOutVariables({ base, values, scratch });
        const script = prelude(inFiles, values) + request.script;
        const args =
          Buffer.byteLength(script) > longestArgument ? [scratch.write("script.sh", script)] : ["-c", script];
        return await answer(request, context, { command, env, args });
      } finally {
        scratch.remove();
      }
    },
  };
}

/** Linux refuses one of 128 KiB. */
const longestArgument = 100_000;

async function answer(
  request: ShellRequest,
  context: ProcessContext,
  { command, env, args }: Pick<ProcessRequest, "command" | "env" | "args">,
): Promise<ShellAnswer> {
  const bash = { command, args, env, cwd: request.cwd ?? context.workspace, signal: context.signal };
  const whole = { ...bash, args: [bare, ...args] };
  const end = await runProcess({
    ...whole,
    timeoutMs: request.timeoutMs,
    onText: context.onText,
    reap: true,
  });
  if (end.fault?.code === "ENOENT" && end.fault.message.startsWith("bash")) throw new Error(noBash);
  const answered = processAnswer(end, context.signal);
  return mayBeSyntax(answered) && (await isBroken(bash)) ? { ...answered, syntaxError: true } : answered;
}

/** Started from a session of ssh, bash would read a file in the home folder first, where an agent can say what words mean. */
const bare = "--norc";

const noBash =
  "bash is not installed, or not on PATH: install it (apt-get install bash, apk add bash, brew install bash)";

const mayBeSyntax = ({ exitCode, tail }: ShellAnswer) =>
  exitCode === 2 || (exitCode === 1 && tail.includes("syntax error"));

/** Asks bash itself, with its wider patterns too: the script may switch them on before it uses them. */
async function isBroken(
  bash: Pick<ProcessRequest, "command" | "args" | "env" | "cwd" | "signal">,
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
