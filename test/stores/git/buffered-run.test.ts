import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { StaleLogError } from "../../../src/ports/store.ts";
import { hasPending, pendingFile, readPending } from "../../../src/stores/git/unpushed.ts";
import { formatDisks, simulatedRoot } from "../../parts/simulator/disk.ts";
import { startProcess } from "../../parts/simulator/process.ts";
import { openRemote } from "../../parts/simulator/remote.ts";
import { openSim } from "../../parts/simulator/sim.ts";

const run = "run-001";
const dir = join(simulatedRoot, "one");

beforeEach(() => formatDisks({ fail: () => undefined, sync: (ring) => ring() }));

test("what was appended during a push that another writer overtook waits for the next process", async () => {
  const sim = openSim(1);
  const remote = openRemote(sim);
  const first = startProcess({ sim, remote, dir }, "first");
  const ended = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false;
    void work.then(
      () => {
        isOver = true;
      },
      () => {
        isOver = true;
      },
    );
    await sim.run(() => isOver, 600_000);
    return await work;
  };
  await ended(first.store.hold(run));
  await ended(first.store.append(run, 0, ["claimed"]));
  // The moment between the push and the look at what became of it.
  remote.carriedOut = () => {
    remote.carriedOut = () => undefined;
    void first.store.append(run, 1, ["an answer"]);
    const host = remote.host(async (_, act) => act(), "other");
    void host.readCommits(run, { before: undefined, tip: remote.tip() ?? "" }).then(async (links) => {
      const [before] = links.toReversed();
      const step = { before, run, epoch: 2, nonce: "n", owner: "other", lines: ["taken over"], at: "now" };
      const { id } = host.writeCommit(step as never);
      await host.push([{ ref: `refs/until-green/${run}/state`, to: id, expected: before?.id }], false);
    });
  };
  await expect(ended(first.store.flush?.(run) ?? Promise.reject())).rejects.toThrow("written to by another");
  expect(remote.lines()).toEqual(["claimed", "taken over"]);
  first.kill();

  const next = startProcess({ sim, remote, dir }, "next");
  await ended(next.store.hold(run));
  const error = await ended(next.store.append(run, 2, ["claimed again"])).catch((why: unknown) => why);
  expect((error as StaleLogError).undone).toEqual(["an answer"]);
});

test("what a process pushed right before it was killed waits no more once the next one has looked", async () => {
  const sim = openSim(1);
  const remote = openRemote(sim);
  const first = startProcess({ sim, remote, dir }, "first");
  let isOver = false;
  const push = async () => {
    await first.store.hold(run);
    await first.store.append(run, 0, ["claimed"]);
    await first.store.flush?.(run);
    await first.store.append(run, 1, ["ended"]);
    remote.carriedOut = () => {
      first.kill();
      isOver = true;
    };
    await first.store.flush?.(run);
  };
  void push().catch(() => undefined);
  await sim.run(() => isOver, 600_000);
  remote.carriedOut = () => undefined;
  expect(remote.lines()).toEqual(["claimed", "ended"]);
  expect(hasPending(dir, run)).toBe(true);

  const next = startProcess({ sim, remote, dir }, "next");
  let isHeld = false;
  void next.store.hold(run).then(() => {
    isHeld = true;
  });
  await sim.run(() => isHeld, 600_000);
  expect(hasPending(dir, run)).toBe(false);
});

test("a run whose unpushed lines were deleted on this machine continues, and keeps them", async () => {
  const sim = openSim(1);
  const process = startProcess({ sim, remote: openRemote(sim), dir }, "first");
  const doing = (async () => {
    await process.store.hold(run);
    await process.store.append(run, 0, ["claimed"]);
    for (const name of readdirSync(dir)) if (name !== "owner") rmSync(join(dir, name));
    await process.store.append(run, 1, ["an answer"]);
    return await process.store.read(run);
  })();
  let ended: readonly string[] | Error | undefined;
  void doing.then(
    (lines) => {
      ended = lines;
    },
    (error: Error) => {
      ended = error;
    },
  );
  await sim.run(() => ended !== undefined, 600_000);
  expect(ended).toEqual(["claimed", "an answer"]);
  expect(readPending(dir, run).flatMap(({ lines }) => lines)).toEqual(["claimed", "an answer"]);
});

test("lines that an agent writes behind ours on this machine are not believed: the append is refused", async () => {
  const sim = openSim(1);
  const process = startProcess({ sim, remote: openRemote(sim), dir }, "first");
  const doing = (async () => {
    await process.store.hold(run);
    await process.store.append(run, 0, ["claimed"]);
    pendingFile(dir, run, undefined).append(1, ["a forged answer"]);
    const refused = await process.store.append(run, 1, ["an answer"]).catch((error: Error) => error.name);
    return { refused, read: await process.store.read(run) };
  })();
  let ended: unknown;
  void doing.then((found) => {
    ended = found;
  });
  await sim.run(() => ended !== undefined, 600_000);
  expect(ended).toEqual({ refused: "StaleLogError", read: ["claimed"] });
});

test("a host that takes no push is asked until patience runs out, and no second time as the process ends", async () => {
  const sim = openSim(1);
  const remote = openRemote(sim);
  const { host } = remote;
  remote.host = (live, name) => ({
    ...host(live, name),
    push: async () => await live(20, () => "fatal: The requested URL returned error: 503"),
  });
  const process = startProcess({ sim, remote, dir }, "first");
  const doing = (async () => {
    const release = await process.store.hold(run);
    await process.store.append(run, 0, ["claimed"]);
    const why = await process.store.flush?.(run).catch((error: Error) => error.name);
    const gaveUp = sim.now();
    await release();
    return { why, after: sim.now() - gaveUp };
  })();
  let ended: unknown;
  void doing.then((found) => {
    ended = found;
  });
  await sim.run(() => ended !== undefined, 600_000);
  expect(ended).toEqual({ why: "RemoteError", after: 0 });
  expect(readPending(dir, run).flatMap(({ lines }) => lines)).toEqual(["claimed"]);
});
