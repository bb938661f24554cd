import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RunEvent } from "../engine/run-events.ts";
import { diskFault } from "../ports/disk-fault.ts";
import { messageOf } from "../ports/message-of.ts";
import { didYouMean } from "../ports/nearest-word.ts";
import { openRun } from "../runner/open-run.ts";
import { UsageError } from "./exit.ts";
import type { StoreLocation } from "./run-environment.ts";

/** The snapshots of a run's iterations, and the private repository that stores them. */
export interface Snapshots {
  readonly gitDir: string;
  /** The snapshots before the first iteration and after the last. */
  readonly first: string;
  readonly last: string;
  /** The snapshots before and after an iteration, or from one iteration to another. */
  between(from: number, to: number): { readonly from: string; readonly to: string };
  /** Number 0: before the first iteration. */
  after(number: number): string;
}

/** True if this attempt's work was kept. */
const isChosen = ({ path, number }: IterationEnded, loop: RunEvent | undefined) =>
  loop?.type === "loop.ended" && loop.chosen === number && path === `${loop.path}#${number}`;

type IterationEnded = Extract<RunEvent, { readonly type: "iteration.ended" }>;

/** Throws `UsageError` if the run has no snapshots on this machine. */
export async function snapshotsOf(location: StoreLocation, runId: string, node?: string): Promise<Snapshots> {
  const { session } = await openRun(location.store, runId);
  const events = session.take();
  const kept = events.filter(
    (event): event is IterationEnded => event.type === "iteration.ended" && event.snapshot !== undefined,
  );
  const all = kept.filter((event) => node === undefined || event.node === node);
  if (kept.length > 0 && all.length === 0)
    throw new UsageError(
      `${runId} has no loop ${node} with a snapshot; ${didYouMean(node ?? "", [...new Set(kept.map((event) => event.node))])}`,
    );
  // An attempt is compared as a whole.
  const attempts = all.filter((event) => event.attempt !== undefined);
  const ended = attempts.length > 0 ? attempts : all;
  const nodes = [...new Set(ended.map((event) => event.node))];
  if (nodes.length > 1)
    throw new UsageError(`${runId} has several loops; name one: --node ${nodes.join(", --node ")}`);
  const gitDir = join(location.privateDir(runId), "snapshots.git");
  const [first] = ended;
  const chosen = events.findLast((event) => event.type === "loop.ended" && event.chosen !== undefined);
  const last = ended.find((event) => isChosen(event, chosen)) ?? ended.at(-1);
  if (first?.since === undefined || last?.snapshot === undefined)
    throw new UsageError(`${runId} kept no snapshot of an iteration`);
  if (!existsSync(gitDir))
    throw new UsageError(`the snapshots of ${runId} are not on this machine: it ran elsewhere`);
  const one = (number: number): IterationEnded => {
    const event = ended.findLast((event) => event.number === number);
    if (event !== undefined) return event;
    const numbers = ended.map((event) => event.number);
    throw new UsageError(
      `${runId} has no iteration ${number}; it has ${numbers.length === 1 ? "" : `${numbers[0]} to `}${numbers.at(-1)}`,
    );
  };
  return {
    gitDir,
    first: first.since,
    last: last.snapshot,
    between: (from, to) => ({
      from:
        (from === 0 ? undefined : from === to ? one(from).since : one(from).snapshot) ?? first.since ?? "",
      to: one(to).snapshot ?? "",
    }),
    after: (number) => (number === 0 ? (first.since ?? "") : (one(number).snapshot ?? "")),
  };
}

/** Reads or writes a run's snapshots; git's errors get a remedy. */
export async function withSnapshotErrors<T>(
  runId: string,
  gitDir: string,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw (
      diskFault(error) ??
      new Error(
        `${messageOf(error)}: the snapshots of ${runId} may be damaged; put ${gitDir} back from a copy. Its record is not affected: until-green report ${runId}`,
        { cause: error },
      )
    );
  }
}
