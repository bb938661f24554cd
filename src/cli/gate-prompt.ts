import { openRun } from "../runner/open-run.ts";
import { decideCommand } from "./decision-command.ts";
import { type ExitCode, exit } from "./exit.ts";
import { ask } from "./init/choose.ts";
import type { CommonOptions } from "./options.ts";
import { findLocation } from "./run-environment.ts";

const question =
  "\napprove (Enter), reject, cancel, or type feedback for the next iteration; Ctrl-D decides later\n> ";

/** If a run pauses at a gate, asks on the terminal; without one, the exit code is unchanged. */
export async function askAtGate(code: ExitCode, runId: string, options: CommonOptions): Promise<ExitCode> {
  if (code !== exit.paused || options.json || options.quiet || !process.stdin.isTTY || !process.stderr.isTTY)
    return code;
  const { store } = await findLocation(options);
  const { session } = await openRun(store, runId);
  if (session.ended || session.gates().length === 0) return code;
  const since = Date.now();
  const answer = await ask(question, { orNothing: true });
  if (answer === undefined) return code;
  const [command = "", ...rest] = answer.split(/\s+/);
  const name = command === "reject" || command === "cancel" ? command : "approve";
  const text = name === "approve" && command !== "approve" ? answer : rest.join(" ");
  const next = await decideCommand({ name, runId, text, options, since });
  return await askAtGate(next, runId, options);
}
