import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { type Link, type Step, writeLink } from "./chain.ts";
import { deepen, isCutOff } from "./deepen.ts";
import type { Command } from "./push-commands.ts";
import { catchUp, lookUp, type RunRecord, refOf, takeLink } from "./record.ts";
import { RemoteError } from "./remote.ts";
import { forbidden, isForbidden, lastLine, pushOnce, unreachable } from "./remote-calls.ts";
import { workTip } from "./work.ts";

export interface Push extends Omit<Step, "before" | "run" | "nonce" | "at" | "key"> {
  /** The user's objects, where snapshots of the workspace are. */
  readonly sources: readonly string[];
  /** Hears what people should know. */
  readonly notice: (text: string) => void;
}

/**
 * Adds lines to the run's chain at the remote: `true` if they are on record there, `false` if another writer came
 * first. Judged by our own commit, which holds chance, at the tip or below it; never by what git or the host answered.
 */
export async function push(record: RunRecord, more: Push): Promise<boolean> {
  const { runId, gitDir, format, remote } = record;
  const nonce = randomBytes(16).toString("hex");
  const at = new Date().toISOString();
  const link = writeLink(gitDir, format, {
    ...more,
    before: record.tip,
    run: runId,
    nonce,
    at,
    key: record.key,
  });
  record.inFlight = link;
  const way: Way = { atomic: true, work: more.work, sources: more.sources, notice: more.notice };
  const end = performance.now() + remote.patienceMs;
  for (let pause = 100; ; pause = Math.min(pause * 2, 5_000)) {
    const said = await sendWhole(record, link, way);
    const tip = await lookUp(record);
    if (tip === link.id) {
      takeLink(record, link);
      return true;
    }
    if (tip !== record.tip?.id) {
      await catchUp(record);
      return record.counts.has(link.id);
    }
    if (isForbidden(said)) throw forbidden(remote);
    if (turned(record, way, said)) continue;
    if (performance.now() + pause > end) throw unreachable(remote, said);
    await wait(pause * (0.8 + Math.random() * 0.4));
  }
}

interface Way {
  atomic: boolean;
  work: string | undefined;
  readonly sources: readonly string[];
  readonly notice: (text: string) => void;
}

/** A host that cannot place where our history begins has taken one ref of two, whatever was asked: the other needs it all. */
async function sendWhole(record: RunRecord, link: Link, way: Way): Promise<string> {
  const said = await send(record, link, way);
  if (!isCutOff(said)) return said;
  if (await deepen(record.remote, record.gitDir)) return await send(record, link, way);
  way.notice(unkept(record, "its branch was moved: check out with `fetch-depth: 0`"));
  return said;
}

async function send(record: RunRecord, link: Link, way: Way): Promise<string> {
  const { remote, gitDir } = record;
  const updates: Command[] = [];
  const work = way.work === undefined ? undefined : await workTip(record, way.work, way.sources);
  if (work !== undefined && work !== record.work)
    updates.push({ ref: refOf(record, "work"), to: work, expected: record.work });
  updates.push({ ref: refOf(record, "state"), to: link.id, expected: record.tip?.id });
  if (way.atomic) return await pushOnce(remote, { gitDir, updates, atomic: updates.length > 1 });
  // The work first: a state names the work it belongs to.
  for (const update of updates) {
    const said = await pushOnce(remote, { gitDir, updates: [update], atomic: false });
    if (said !== "") return said;
  }
  return "";
}

/** Takes another way where the host says no to this one; what it says only in a race is no such word. */
function turned(record: RunRecord, way: Way, said: string): boolean {
  if (way.atomic && /does not support --?atomic/i.test(said)) {
    way.atomic = false;
    return true;
  }
  const no = said.split("\n").find((line) => /\[remote rejected\]/.test(line) && !raced.test(line));
  if (no === undefined) return false;
  const why = lastLine(no.replace(/^.*\[remote rejected\]/, "")).replace(/^\(|\)$/g, "");
  if (record.tip === undefined && record.space === "refs/until-green") {
    record.space = "refs/heads/until-green";
    way.notice(
      `${record.remote.name} takes no refs of our own (${why}): the run is kept in branches until-green/…`,
    );
    return true;
  }
  if (way.work !== undefined) {
    way.work = undefined;
    way.notice(unkept(record, why));
    return true;
  }
  throw new RemoteError(`${record.remote.name} does not take the run: ${why}`);
}

const unkept = ({ remote }: RunRecord, why: string) =>
  `${remote.name} does not take the workspace of this iteration (${why})`;

const raced =
  /failed to update ref|cannot lock ref|stale info|fetch first|incorrect old value|already exists|atomic (push|transaction)/i;
