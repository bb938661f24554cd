import { join } from "node:path";
import type { ObjectFormat } from "../../git/objects.ts";
import { NotThereError, type Remote, RemoteError } from "../../git/remote.ts";
import { diskFault } from "../../ports/disk-fault.ts";
import { BrokenLogError } from "../../ports/store.ts";
import { readRegularFile } from "../../processes/regular-file.ts";
import { replaceOwnFile } from "../../processes/replace-file.ts";
import { placeOf } from "../run-id.ts";
import { broken, type LogCommit } from "./commit-log.ts";
import type { LogHost, Timer } from "./log-host.ts";
import { learnFormerName, OtherNameError, type StateKey } from "./sign.ts";

/** Where runs can be at the remote: in refs of our own, or in branches if the host accepts nothing else. */
export const spaces = ["refs/until-green", "refs/heads/until-green"] as const;
export type Space = (typeof spaces)[number];

/** One run as this process knows it: the remote's lines, and the lines to be pushed. */
export interface RemoteRun {
  readonly runId: string;
  readonly remote: Remote;
  readonly host: LogHost;
  readonly timer: Timer;
  /** The run's folder on this machine. */
  readonly dir: string;
  /** The private bare repository in that folder. */
  readonly gitDir: string;
  readonly format: ObjectFormat;
  space: Space;
  /** When the remote was last read, in the timer's time; `undefined` if it never was. */
  looked: number | undefined;
  tip: LogCommit | undefined;
  /** The tip of the `work` ref. */
  work: string | undefined;
  /** All lines that the remote has. */
  readonly lines: string[];
  /** The number of the log's lines up to each commit. */
  readonly counts: Map<string, number>;
  /** Lines recorded here that were not pushed yet. */
  pending: string[];
  /** Lines recorded here that another writer overtook at the remote. */
  undone: string[];
  /** The commit being pushed. */
  inFlight: LogCommit | undefined;
  /** Signs each commit, if set. */
  readonly key: StateKey | undefined;
}

export const refOf = ({ space, runId }: RemoteRun, what: "state" | "work") =>
  `${space}/${placeOf(runId)}/${what}`;

/** Accepts the next commit of the remote's chain: ours, or another writer's. */
export function acceptCommit(record: RemoteRun, link: LogCommit): void {
  record.tip = link;
  for (const line of link.lines) record.lines.push(line);
  record.counts.set(link.id, record.lines.length);
  if (link.id === record.inFlight?.id) {
    record.pending = record.pending.slice(link.lines.length);
    return;
  }
  record.undone.push(...record.pending);
  record.pending = [];
}

/** Reads and verifies the remote's new commits; throws `BrokenLogError`. */
export async function fetchNewCommits(record: RemoteRun): Promise<void> {
  for (let round = 1; ; round += 1) {
    const tip = await readRemoteTip(record);
    if (tip === undefined || tip === record.tip?.id) return;
    try {
      const links = await readNewCommits(record, tip);
      if (record.tip === undefined) refuseMovedBack(record, links);
      for (const link of links) acceptCommit(record, link);
      rememberTip(record);
      return;
    } catch (error) {
      if (!(await mayReadAgain(error, record, round))) throw error;
    }
  }
}

/** True if the ref may have moved between listing and fetch, or the record was signed before a renaming. */
const mayReadAgain = async (error: unknown, { key }: RemoteRun, round: number) =>
  error instanceof OtherNameError
    ? await learnFormerName(key, error.signedFor)
    : round < 2 && !(error instanceof RemoteError);

/** Reads the commits that this machine last saw at the remote, without asking it; `false` if it never saw the run. */
export async function readKnownCommits(record: RemoteRun): Promise<boolean> {
  const tip = knownTip(record)?.known;
  if (tip === undefined) return false;
  const range = { before: record.tip, tip, key: record.key };
  for (const link of await record.host.readCommits(record.runId, range)) acceptCommit(record, link);
  return true;
}

async function readNewCommits(record: RemoteRun, tip: string): Promise<readonly LogCommit[]> {
  const { host, runId, remote } = record;
  const ref = refOf(record, "state");
  try {
    await host.fetch(ref, record.tip?.id);
    return await host.readCommits(runId, { before: record.tip, tip, key: record.key });
  } catch (error) {
    if (!(error instanceof BrokenLogError || error instanceof NotThereError)) throw error;
    if (error instanceof OtherNameError) throw error;
    const { message } =
      error instanceof BrokenLogError
        ? error
        : broken(runId, tip, `${ref} of ${remote.name} names it, and the host does not have it`);
    const known = knownTip(record);
    const isLost = error instanceof NotThereError && !isUnreadable(tip);
    const elsewhere = isLost
      ? `. A machine that has it pushes it again: until-green resume ${runId} there`
      : "";
    throw new BrokenLogError(
      message + (known === undefined ? elsewhere : `. ${await howToReplace(record, known, tip)}`),
    );
  }
}

/** Records the last known commit on this machine, so that a later process notices if the ref was moved back. */
export function rememberTip(record: RemoteRun): void {
  const { tip, counts, space, work = "" } = record;
  try {
    replaceOwnFile(tipFile(record.dir), `${[...counts.keys()][0]} ${tip?.id} ${space} ${work}\n`);
  } catch (error) {
    // The host has the lines, so a full disk here undoes nothing. An older commit serves the purpose too.
    if (diskFault(error) === undefined) throw error;
  }
}

/** Throws if the remote lacks a commit of this same run that an earlier process of this machine saw there. */
function refuseMovedBack(record: RemoteRun, links: readonly LogCommit[]): void {
  const tip = lastKnownTip(record);
  // A different root means a different run: this one was deleted, and its id was used again.
  if (tip === undefined || links[0]?.id !== tip.root || links.some(({ id }) => id === tip.known)) return;
  throw new BrokenLogError(
    `${refOf(record, "state")} of ${record.remote.name} was moved back: this machine knows it at ${tip.known}. ` +
      `${howToRestore(record, tip)}; to continue from its current state: delete ${tipFile(record.dir)}`,
  );
}

/** Why the remote has no record of a run that an earlier process of this machine knew; `undefined` if none knew it. */
export function whyGone(record: RemoteRun): string | undefined {
  const tip = lastKnownTip(record);
  if (tip === undefined) return undefined;
  const there = { ...record, space: spaces.find((space) => space === tip.space) ?? record.space };
  return (
    `the record of run ${record.runId} is gone: ${refOf(there, "state")} of ${record.remote.name} was deleted; ` +
    `this machine knows it at ${tip.known}. ${howToRestore(there, tip)}; ` +
    "if it was deleted on purpose, as by list --prune, start a new run"
  );
}

export const tipFile = (dir: string) => join(dir, "tip");

/** The last state of the remote that this machine knows. */
interface KnownTip {
  readonly known: string;
  /** The commit of the `work` ref, if there was one. */
  readonly work: string | undefined;
}

function lastKnownTip(record: RemoteRun) {
  const [root = "", known, space = "", work] = (readRegularFile(tipFile(record.dir)) ?? "").trim().split(" ");
  return known === undefined ? undefined : { root, known, space, work };
}

function knownTip(record: RemoteRun): KnownTip | undefined {
  const { tip } = record;
  const last = lastKnownTip(record);
  return tip === undefined || tip.id === last?.known ? last : { known: tip.id, work: undefined };
}

function howToRestore(record: RemoteRun, { known, work }: KnownTip, before: readonly string[] = []): string {
  const state = `${known}:${refOf(record, "state")}`;
  const restore = pushCommand(record, work ? `${state} ${work}:${refOf(record, "work")}` : state);
  return `To put it where this machine knows it: ${[...before, restore].join("; then ")}`;
}

/** If a host cannot read a ref's file, it lists the ref with an id of zeros. */
const isUnreadable = (tip: string) => /^0+$/.test(tip);

/** While a ref names a commit that the host lacks, the host accepts only the deletion of that ref. */
async function howToReplace(record: RemoteRun, known: KnownTip, tip: string): Promise<string> {
  const { host, work } = record;
  const isWorkLost = work !== undefined && (isUnreadable(work) || !(await host.hasCommit(work)));
  const lost = [["state", tip] as const, ...(isWorkLost ? [["work", work] as const] : [])];
  const removals = lost.map(([what, id]) =>
    isUnreadable(id)
      ? `delete the file of ${refOf(record, what)} at the host`
      : pushCommand(record, `:${refOf(record, what)}`),
  );
  return howToRestore(record, known, removals);
}

const pushCommand = ({ gitDir, remote }: RemoteRun, updates: string) =>
  `git -C ${gitDir} push ${remote.name} ${updates}`;

/** Reads the current targets of the run's refs; `undefined` for an unknown run. Throws if a known ref is gone. */
export async function readRemoteTip(record: RemoteRun): Promise<string | undefined> {
  const { host, timer, runId } = record;
  const place = placeOf(runId);
  const patterns = spaces.map((space) => `${space}/${place}/*`);
  const refs = await host.listRefs(patterns);
  record.looked = timer.elapsed();
  const space = spaces.find((one) => refs.has(`${one}/${place}/state`));
  if (space === undefined) {
    const known = record.tip && knownTip(record);
    if (known !== undefined)
      throw new BrokenLogError(
        `the record of run ${runId} is gone: ${refOf(record, "state")} of ${record.remote.name} was deleted. ` +
          `${howToRestore(record, known)}; then until-green resume ${runId}`,
      );
    return undefined;
  }
  record.space = space;
  record.work = refs.get(refOf(record, "work"));
  return refs.get(refOf(record, "state"));
}
