import { RemoteError } from "../../git/remote.ts";
import { reasonOf } from "../../git/remote-faults.ts";
import { type RemoteRun, readRemoteTip, refOf } from "./run-refs.ts";

/**
 * Recreates the refs of a run whose commits the host has lost, each only if it still names that commit. Until then the
 * host refuses every push to the repository, and git sends it no objects that such a ref names. Returns whether there
 * were any.
 */
export async function replaceLostCommits(
  record: RemoteRun,
  notice: (text: string) => void,
): Promise<boolean> {
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
    await create(record, tip.id);
    notice(`${remote.name} has lost records of the run: they are pushed again`);
  }
  if (lost.work || lost.state) await readRemoteTip(record);
  return lost.work || lost.state;
}

/** Retries until the host has the ref: in between, the run is only on this machine. */
async function create(record: RemoteRun, to: string): Promise<void> {
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
