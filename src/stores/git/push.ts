import { randomBytes } from "node:crypto";
import { isCutOff } from "../../git/deepen.ts";
import type { RefUpdateCommand } from "../../git/push-commands.ts";
import { RemoteError } from "../../git/remote.ts";
import { forbidden, isOfItsDisk, isRefused, reasonOf, wordsOfHost } from "../../git/remote-faults.ts";
import type { LogCommit, Step } from "./commit-log.ts";
import {
  acceptCommit,
  fetchNewCommits,
  type RemoteRun,
  readRemoteTip,
  refOf,
  rememberTip,
} from "./run-refs.ts";
import { workTip } from "./work-ref.ts";

export interface RunPush extends Omit<Step, "before" | "run" | "nonce" | "at" | "key"> {
  /** The object folders of the user and of the workspace snapshots. */
  readonly sources: readonly string[];
  /** Receives notices for people. */
  readonly notice: (text: string) => void;
}

/**
 * Appends lines to the run's chain at the remote: `true` if they are recorded there, `false` if another writer came
 * first. Decided by whether our own random commit is at the tip or below it, never by what git or the host reported.
 */
export async function push(record: RemoteRun, more: RunPush): Promise<boolean> {
  const { runId, host, remote } = record;
  const nonce = randomBytes(16).toString("hex");
  const at = new Date().toISOString();
  const link = host.writeCommit({
    ...more,
    before: record.tip,
    run: runId,
    nonce,
    at,
    key: record.key,
  });
  record.inFlight = link;
  const { work, sources, notice } = more;
  const plan: PushPlan = { atomic: true, intact: true, work, sources, notice };
  const retries = host.retries();
  for (;;) {
    const text = await sendWhole(record, link, plan);
    const tip = await readRemoteTip(record);
    if (tip === link.id) {
      acceptCommit(record, link);
      rememberTip(record);
      return true;
    }
    if (tip !== record.tip?.id) {
      await fetchNewCommits(record);
      return record.counts.has(link.id);
    }
    if (isRefused(remote, "write", text)) throw await forbidden(remote, "write", text);
    if (await turned(record, plan, text)) continue;
    await retries.next(text);
  }
}

interface PushPlan {
  atomic: boolean;
  /** Whether the host has all objects that the run's refs need, as far as known. */
  intact: boolean;
  work: string | undefined;
  readonly sources: readonly string[];
  readonly notice: (text: string) => void;
}

/** A host that does not know the start of a shallow history may accept one ref of two; the other one needs it all. */
async function sendWhole(record: RemoteRun, link: LogCommit, plan: PushPlan): Promise<string> {
  const text = await send(record, link, plan);
  return isCutOff(text) && (await record.host.deepen()) ? await send(record, link, plan) : text;
}

async function send(record: RemoteRun, link: LogCommit, plan: PushPlan): Promise<string> {
  const { host } = record;
  const updates: RefUpdateCommand[] = [];
  const work = plan.work === undefined ? undefined : await workTip(record, plan.work, plan.sources);
  if (work !== undefined && work !== record.work)
    updates.push({ ref: refOf(record, "work"), to: work, expected: record.work });
  updates.push({ ref: refOf(record, "state"), to: link.id, expected: record.tip?.id });
  if (plan.atomic) return await host.push(updates, updates.length > 1);
  // The work first, because a state names the work commit that belongs to it.
  for (const update of updates) {
    const text = await host.push([update], false);
    if (text !== "") return text;
  }
  return "";
}

/** Switches to a fallback if the host rejects the push; errors that may pass do not count. */
async function turned(record: RemoteRun, plan: PushPlan, text: string): Promise<boolean> {
  if (plan.atomic && /does not support --?atomic/i.test(text)) {
    plan.atomic = false;
    return true;
  }
  const why = plan.work === undefined ? undefined : faultOfWork(record, text);
  if (why !== undefined) {
    plan.work = undefined;
    plan.notice(why);
    return true;
  }
  return await turnedByHost(record, plan, text);
}

/** Why this machine cannot push the workspace, whatever refs it goes to; `undefined` if that is not the reason. */
function faultOfWork(record: RemoteRun, text: string): string | undefined {
  if (isCutOff(text)) return unkept(record, "its branch was moved: check out with `fetch-depth: 0`");
  return lacksHere.test(text)
    ? `snapshots on this machine are damaged (${reasonOf(text)}): ${staysHere}`
    : undefined;
}

/** The same if the host gave a reason to reject one of the refs; throws if there is no fallback left. */
async function turnedByHost(record: RemoteRun, plan: PushPlan, text: string): Promise<boolean> {
  const no = text.split("\n").find((line) => /\[remote rejected\]/.test(line) && !raced.test(line));
  if (no === undefined || isOfItsDisk(text)) return false;
  const why = reasonOf(no.replace(/^.*\[remote rejected\]/, "")).replace(/^\(|\)$/g, "");
  const isLossy = /missing necessary objects/.test(why);
  if (plan.intact && isLossy) {
    plan.intact = false;
    if (await replaceLostCommits(record, plan.notice)) return true;
  }
  if (record.tip === undefined && record.space === "refs/until-green") {
    record.space = "refs/heads/until-green";
    plan.notice(
      `${record.remote.name} accepts no refs outside branches and tags (${why}): the run is kept in branches until-green/…`,
    );
    return true;
  }
  if (plan.work !== undefined) {
    plan.work = undefined;
    plan.notice(unkept(record, await withHost(why, text)));
    return true;
  }
  const remedy = isLossy ? `: ${repairHost}, then until-green resume ${record.runId}` : "";
  throw new RemoteError(
    `${record.remote.name} did not accept the run: ${await withHost(why, text)}${remedy}`,
  );
}

/** The host's own words name the rule, and often the file and a link. */
async function withHost(why: string, text: string): Promise<string> {
  const { refusalIn } = await import("../../git/host-words.ts");
  const refused = refusalIn(text, "refs/until-green/**");
  return refused === undefined
    ? [why, wordsOfHost(text)].filter(Boolean).join(": ")
    : `${refused.why}: ${refused.remedy}`;
}

/** git cannot read an object of this machine. Lines of the host start with `remote:`. */
const lacksHere = /^((error|fatal): )?(could not read|unable to read|bad object) [0-9a-f]{40}/im;

const staysHere = "the workspace of this iteration stays on this machine, the record of the run does not";

const repairHost =
  "one of its refs names a commit that it lost; find it there with git fsck and delete that ref";

const unkept = ({ remote }: RemoteRun, why: string) =>
  `${remote.name} did not accept the workspace of this iteration (${why})`;

const raced =
  /failed to update ref|cannot lock ref|stale info|fetch first|incorrect old value|already exists|atomic (push|transaction)/i;

/**
 * Recreates the refs of a run whose commits the host has lost, each only if it still names that commit. Until then the
 * host refuses every push to the repository, and git sends it no objects that such a ref names. Returns whether there
 * were any.
 */
async function replaceLostCommits(record: RemoteRun, notice: (text: string) => void): Promise<boolean> {
  const { host, remote, tip, work } = record;
  const isLost = async (commit: string | undefined) =>
    commit !== undefined && !(await host.hasCommit(commit));
  const lost = { work: await isLost(work), state: await isLost(tip?.id) };
  const remove = (what: "state" | "work", expected: string | undefined) =>
    host.push([{ ref: refOf(record, what), to: "", expected }], false);
  if (lost.work) {
    await remove("work", work);
    notice(`${remote.name} has lost objects of the run's workspace: its ref is created again`);
  }
  if (lost.state && tip !== undefined) {
    await remove("state", tip.id);
    await recreateState(record, tip.id);
    notice(`${remote.name} has lost records of the run: they are pushed again`);
  }
  if (lost.work || lost.state) await readRemoteTip(record);
  return lost.work || lost.state;
}

/** Retries until the host has the ref: in between, the run is only on this machine. */
async function recreateState(record: RemoteRun, to: string): Promise<void> {
  const { host, remote, runId } = record;
  const ref = refOf(record, "state");
  const retries = host.retries();
  for (;;) {
    const text = await host.push([{ ref, to, expected: undefined }], false);
    if ((await host.listRefs([ref])).has(ref)) return;
    if (/\[remote rejected\]/.test(text))
      throw new RemoteError(
        `${remote.name} has lost records of the run, and does not take them again (${reasonOf(text)}): ` +
          `until-green status ${runId} says how to put them there`,
      );
    await retries.next(text);
  }
}
