import { parseAnswer } from "../decisions/answer.ts";
import { isLoopGate } from "../engine/path.ts";
import { openRun } from "../runner/open-run.ts";
import { decideCommand } from "./decision-command.ts";
import { type ExitCode, exit } from "./exit.ts";
import { ask } from "./init/choose.ts";
import type { CommonOptions } from "./options.ts";
import { say } from "./print.ts";
import { findLocation } from "./run-environment.ts";

/** If a run pauses at a gate, asks on the terminal; without one, the exit code is unchanged. */
export async function askAtGate(code: ExitCode, runId: string, options: CommonOptions): Promise<ExitCode> {
  if (code !== exit.paused || options.json || options.quiet || !process.stdin.isTTY || !process.stderr.isTTY)
    return code;
  const { store } = await findLocation(options);
  const { session } = await openRun(store, runId);
  const [gate] = session.ended ? [] : session.gates();
  if (gate === undefined) return code;
  const since = Date.now();
  const answer = await askUntilClear(isLoopGate(gate.path));
  if (answer === undefined) return code;
  const next = await decideCommand({ ...answer, runId, options: { ...options, gate: gate.path }, since });
  return await askAtGate(next, runId, options);
}

/** What the person decides; `undefined` if the terminal was closed. */
async function askUntilClear(takesFeedback: boolean) {
  const feedback = takesFeedback ? ", [f]eedback TEXT for the next iteration" : "";
  const question = `[a]pprove, [r]eject, [c]ancel${feedback}; Ctrl-D decides later\n> `;
  for (;;) {
    const typed = await ask(`\n${question}`, { orNothing: true });
    const answer = typed === undefined ? undefined : parseAnswer(typed, takesFeedback);
    if (answer === undefined || "name" in answer) return answer;
    say(`${answer.unclear}\n`);
  }
}
