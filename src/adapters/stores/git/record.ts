import { placeOf } from "../run-id.ts";
import { broken, type Link, readLinks } from "./chain.ts";
import type { ObjectFormat } from "./objects.ts";
import type { Remote } from "./remote.ts";
import { fetchObjects, listRefs } from "./remote-calls.ts";

/** Where runs may lie at the remote: refs of our own, or branches where a host takes nothing else. */
export const spaces = ["refs/until-green", "refs/heads/until-green"] as const;
export type Space = (typeof spaces)[number];

/** One run as this process knows it: what the remote has, and what waits to get there. */
export interface RunRecord {
  readonly runId: string;
  readonly remote: Remote;
  /** The run's folder on this machine. */
  readonly dir: string;
  /** The private bare repository in it. */
  readonly gitDir: string;
  readonly format: ObjectFormat;
  space: Space;
  /** When the remote was asked last, as `performance.now()` has it; `undefined` before the first time. */
  looked: number | undefined;
  tip: Link | undefined;
  /** The tip of the `work` ref. */
  work: string | undefined;
  /** All lines the remote has. */
  readonly lines: string[];
  /** How many lines each commit made of them. */
  readonly counts: Map<string, number>;
  /** Recorded here, not there yet. */
  pending: string[];
  /** Were recorded here, but another writer came first at the remote. */
  undone: string[];
  /** The commit under way to the remote. */
  inFlight: Link | undefined;
  /** Signs each commit, where there is one. */
  readonly key: string | undefined;
}

export const refOf = ({ space, runId }: RunRecord, what: "state" | "work") =>
  `${space}/${placeOf(runId)}/${what}`;

/** Takes in one more commit of the remote's chain: ours, or another writer's. */
export function takeLink(record: RunRecord, link: Link): void {
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

/** Reads what the remote has, and proves it; throws `BrokenLogError`. */
export async function catchUp(record: RunRecord): Promise<void> {
  for (let round = 1; ; round += 1) {
    const tip = await lookUp(record);
    if (tip === undefined || tip === record.tip?.id) return;
    const { remote, gitDir, runId } = record;
    const known = record.tip === undefined ? [] : [`--negotiation-tip=${record.tip.id}`];
    await fetchObjects(remote, { gitDir, what: [refOf(record, "state")], options: known });
    try {
      const links = await readLinks(gitDir, runId, { before: record.tip, tip, key: record.key });
      for (const link of links) takeLink(record, link);
      return;
    } catch (error) {
      // The ref may have moved between the look and the fetch.
      if (round === 2) throw error;
    }
  }
}

/** Where the run's refs point now; `undefined` for a run never written. A ref that was there may not be gone. */
export async function lookUp(record: RunRecord): Promise<string | undefined> {
  const { remote, gitDir, runId } = record;
  const place = placeOf(runId);
  const patterns = spaces.map((space) => `${space}/${place}/*`);
  const refs = await listRefs(remote, { gitDir, patterns });
  record.looked = performance.now();
  const space = spaces.find((one) => refs.has(`${one}/${place}/state`));
  if (space === undefined) {
    if (record.tip !== undefined) throw broken(runId, record.tip.id, "its ref is gone");
    return undefined;
  }
  record.space = space;
  record.work = refs.get(refOf(record, "work"));
  return refs.get(refOf(record, "state"));
}
