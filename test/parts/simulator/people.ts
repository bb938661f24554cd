import { join } from "node:path";
import { decide, type Statement } from "../../../src/decisions/decide.ts";
import { viewOf } from "../../../src/decisions/run-view.ts";
import type { RunSession } from "../../../src/engine/session.ts";
import { DiskFault } from "../../../src/ports/disk-fault.ts";
import { appendDecision } from "../../../src/runner/append-decision.ts";
import { runId } from "../stage.ts";
import { simulatedRoot } from "./disk.ts";
import { type SimProcess, startProcess } from "./process.ts";
import type { FakeRemote } from "./remote.ts";
import { roll, type Sim } from "./sim.ts";

/** The answer to somebody's decision. */
export interface Answer {
  readonly by: string;
  /** Time of the statement in ISO 8601: one person says one thing at a time. */
  readonly at: string;
  readonly taken: boolean;
}

/** How people reach the run, and what happens to their statements. */
export interface Scene {
  readonly sim: Sim;
  readonly remote: FakeRemote;
  readonly seed: number;
  readonly answers: Answer[];
  readonly unexpected: string[];
  readonly over: boolean;
}

/** Errors explained by a failing host or other writers. */
const expected: ReadonlySet<string> = new Set([
  "RemoteError",
  "RunExistsError",
  "RunLockedError",
  "RunTakenOverError",
  "EndedRunError",
  "StaleLogError",
]);

/** True if a failing host, a failing disk or another writer explains an error. */
export const isExpected = (error: unknown): boolean =>
  error instanceof DiskFault || expected.has((error as Error).name);

/** Somebody who looks from time to time and answers the open gate; the answer depends only on the gate. */
export function attend(scene: Scene, who: string): void {
  look(scene, who, [{ by: who, say: answerOf(scene, who) }]);
}

/** An app that receives the webhooks of two people at once: both use one store. */
export function attendByApp(scene: Scene): void {
  const by = (who: string) => ({ by: who, say: answerOf(scene, who) });
  look(scene, "app", [by("ann by app"), by("bob by app")]);
}

/** The answer to the open gate: it depends only on the gate. */
export const answerOf =
  ({ seed }: Pick<Scene, "seed">, who: string): Say =>
  (session, at) => {
    const [gate] = viewOf(session).gates.toSorted((a, b) => (a.need < b.need ? -1 : 1));
    if (gate === undefined || viewOf(session).state !== "paused") return undefined;
    const dice = roll(`${seed} ${gate.need}`);
    const kind = dice % 5 === 0 ? "reject" : "approve";
    const text = dice % 3 === 0 ? "" : `said ${dice}`;
    return { kind, by: who, text, at, since: Date.parse(at), gate: gate.path };
  };

/** Somebody who sends messages to steps, which change nothing, while others work. */
export function chatter(scene: Scene, who: string): void {
  const say: Say = (session, at) => {
    const step = viewOf(session).steps?.find(({ parts }) => parts === undefined);
    if (step === undefined) return undefined;
    return { kind: "tell", by: who, text: `it is ${at}`, at, since: Date.parse(at), step: step.id };
  };
  look(scene, who, [{ by: who, say }]);
}

/** Somebody who cancels the run, once. */
export function cancel(scene: Scene): void {
  const process = personAt(scene, "canceller");
  const at = process.clock.now();
  const say = () => ({ kind: "cancel", by: "eve", text: "", at, since: Date.parse(at) }) as const;
  void speak(scene, process, { by: "eve", at, say }).catch((error: unknown) => {
    // Nothing to cancel yet, or nobody can be reached.
    if (!/EmptyLog|Remote/.test((error as Error).name)) scene.unexpected.push(`canceller: ${error}`);
  });
}

const personAt = ({ sim, remote }: Scene, who: string) =>
  startProcess({ sim, remote, dir: join(simulatedRoot, who) }, who);

type Say = (session: RunSession, at: string) => Statement | undefined;

interface Speaker {
  readonly by: string;
  readonly say: Say;
}

/** A process that reads the run repeatedly; people who use it act at once. */
function look(scene: Scene, who: string, speakers: readonly Speaker[]): void {
  const { sim, remote, unexpected } = scene;
  const process = personAt(scene, who);
  // If nobody has something to say about a log, nobody will until it grows.
  let silent = 0;
  const look = async () => {
    while (!scene.over && !remote.ended()) {
      await process.live(sim.between(10_000, 90_000), () => undefined);
      const { length } = await process.store.read(runId);
      if (length === silent) continue;
      const at = process.clock.now();
      const spoke = await Promise.all(speakers.map((one) => speak(scene, process, { ...one, at })));
      silent = spoke.includes(true) ? 0 : length;
    }
  };
  const again = async (): Promise<void> => {
    try {
      await look();
    } catch (error) {
      if (!isExpected(error)) unexpected.push(`${who}: ${error}`);
      else if (!scene.over) await again();
    }
  };
  void again();
}

/** The meaning of a statement for a run; refused if there is none. */
export function decided(statement: Statement | undefined, session: RunSession): ReturnType<Choose> {
  const decision = statement === undefined ? undefined : decide(viewOf(session), statement);
  return decision !== undefined && "record" in decision
    ? decision
    : { refused: "wrong", because: "there is nothing to say" };
}

type Choose = Parameters<typeof appendDecision>[2];

/** Makes a statement, if there is one; returns whether it did. The answer is checked later. */
async function speak(
  { answers, remote, unexpected }: Scene,
  { store }: SimProcess,
  { by, at, say }: Speaker & { readonly at: string },
): Promise<boolean> {
  let statement: Statement | undefined;
  const done = await appendDecision({ store }, runId, (session) => {
    statement = say(session, at);
    return decided(statement, session);
  });
  answers.push({ by, at, taken: "session" in done });
  if ("session" in done && done.session.ended && !remote.ended())
    unexpected.push(`${by} ended the run, and its end is not on record`);
  return statement !== undefined;
}
