import { join } from "node:path";
import { copyProject } from "./copy-project.ts";
import type { ExitCode } from "./exit.ts";
import type { CommonOptions } from "./options.ts";
import { say } from "./print.ts";
import { runCommand } from "./run.ts";
import { shippedExamples } from "./shipped-examples.ts";

/** `until-green demo`: a copy of a small project with failing tests, and a loop that fixes them. */
export async function demoCommand(options: CommonOptions & { readonly agent?: string }): Promise<ExitCode> {
  const message = "A small project with failing tests";
  const cwd = await copyProject(shippedExamples("demo"), { name: "demo", message });
  const recorded = options.agent === undefined;
  const who = recorded
    ? "The agent is scripted: it replays a recorded session. The tests, the checks and the changes are real."
    : `The agent is ${options.agent}.`;
  const tell = (text: string) => options.quiet || say(text);
  tell(`A copy of a small project with failing tests: ${cwd}\n${who}\n\n`);
  // On a first run, npm would print its own advertisement into the output of the tests.
  process.env["npm_config_update_notifier"] ??= "false";
  const agent = options.agent ?? `scripted:${join(cwd, "session.yml")}`;
  const code = await runCommand({ workflow: "fix-tests", message: "", options: { ...options, cwd, agent } });
  tell(`look around: git -C ${cwd} diff\n`);
  return code;
}
