import { type LogEvent, parseLogEvent } from "../../../src/engine/log-events.ts";
import { appendDecision } from "../../../src/runner/append-decision.ts";
import { resume, start } from "../../../src/runner/run.ts";
import type { RunEnvironment } from "../../../src/runner/run-environment.ts";
import { runId, stage } from "../stage.ts";
import { answerOf, decided } from "./people.ts";
import { roll } from "./sim.ts";
import { planFor } from "./workflow.ts";

/**
 * The log of the undisturbed run: one process, a store in memory, immediate answers, and a person who decides each
 * gate.
 */
export async function playUndisturbed(
  seed: number,
  left: ReadonlySet<string> = new Set(),
): Promise<readonly LogEvent[]> {
  const plan = await planFor(seed, left);
  const { facts, world, store: memory } = stage(plan);
  // No real folder for each history.
  const store = { ...memory, artifacts: async () => "/artifacts" };
  const ask = async (env: Env) => roll(`${seed} ${env["UNTIL_GREEN_PATH"] ?? ""}`);
  const environment = { ...world, store, gitWorkspace: undefined, ...answersOf(ask) };
  const say = answerOf({ seed }, "person");
  let session = await start({ plan, facts }, environment);
  while (!session.ended) {
    const at = environment.clock.now();
    const result = await appendDecision({ store }, runId, (now) => decided(say(now, at), now));
    if ("refused" in result) throw new Error(`the undisturbed run stops: ${result.because}`);
    session = result.session.ended ? result.session : await resume(runId, environment);
  }
  return (await store.read(runId)).map(parseLogEvent);
}

export type Env = Readonly<Record<string, string | undefined>>;

/** Agents and scripts whose answers are random, by place. */
export const answersOf = (
  ask: (env: Env, signal: AbortSignal) => Promise<number>,
): Pick<RunEnvironment, "agent" | "shell"> => ({
  agent: () => ({
    name: "pretended",
    async answer(_request, { env, signal }) {
      const dice = await ask(env, signal);
      return { text: dice % 4 === 0 ? "all is well\nDONE" : `said ${dice % 5}`, session: "s" };
    },
  }),
  shell: {
    async run({ role }, { env, signal }) {
      const dice = await ask(env, signal);
      if (role === "check") return { exitCode: dice % 3 === 0 ? 0 : 1, stdout: "", tail: `${dice % 4}` };
      return { exitCode: dice % 11 === 0 ? 3 : 0, stdout: `ran ${dice % 10}\n`, tail: "" };
    },
  },
});
