import { expect, test } from "vitest";
import { parseLogEvent } from "../../src/engine/log-events.ts";
import type { WorkspaceRequest } from "../../src/ports/workspace.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { fc } from "../parts/random.ts";
import { runId, type Stage, stage } from "../parts/stage.ts";
import { type Performed, workflows } from "../parts/workflows.ts";

async function toTheEnd(it: Stage, first: "begin" | "resume") {
  let session = await it[first]();
  for (let round = 0; !session.ended && round < 10; round++)
    session = await it.decide("approve", `feedback ${round}`);
  return session;
}

async function straight({ source, props }: Performed) {
  const it = stage(source, props);
  await toTheEnd(it, "begin");
  return { end: it.end(), lines: await it.store.read(runId), events: it.events };
}

const asked = (lines: readonly string[]) =>
  lines.map(parseLogEvent).flatMap((event) => (event.type === "need.met" ? [event.path] : []));

test.each(Object.entries(workflows))(
  "%s: cut off after any event, it ends the same and asks nothing twice",
  async (_, workflow) => {
    const whole = await straight(workflow);
    expect(whole.end?.conclusion).toBe("success");
    // The last line only says that the run has ended.
    const last = whole.lines.length - 2;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: last }), async (cut) => {
        const kept = whole.lines.slice(0, cut);
        const it = stage(workflow.source, { ...workflow.props, log: kept });
        // Feedback is numbered; go on where the kept log stops.
        const decided = kept.filter((line) => parseLogEvent(line).type === "run.decided").length;
        let session = await it.resume();
        for (let round = decided; !session.ended; round++)
          session = await it.decide("approve", `feedback ${round}`);
        const { results, output, conclusion, stop_reason, iterations } = whole.end ?? {};
        expect(it.end()).toMatchObject({ results, output, conclusion, stop_reason, iterations });
        const paths = asked(await it.store.read(runId));
        expect(new Set(paths).size).toBe(paths.length);
        expect(paths.toSorted()).toEqual(asked(whole.lines).toSorted());
      }),
      { numRuns: 60, examples: [[1], [2], [last]] },
    );
  },
);

test.each(Object.entries(workflows))(
  "%s: each start has exactly one end, over all the stretches of a run",
  async (_, workflow) => {
    const whole = await straight(workflow);
    const open = new Set<string>();
    // What is told again after a failure keeps its address: it may start again once it has ended.
    for (const event of whole.events) {
      const key = `${event.type.split(".")[0]} ${"path" in event ? event.path : ""}`;
      if (event.type.endsWith(".started")) expect(open).not.toContain(key);
      if (event.type.endsWith(".started")) open.add(key);
      // What was never begun has an end all the same.
      if (event.type === "node.ended" && event.status === "skipped") continue;
      if (event.type.endsWith(".ended")) expect(open.delete(key), key).toBe(true);
    }
    expect([...open]).toEqual([]);
    expect(whole.events.map(({ seq }) => seq)).toEqual(whole.events.map((_, index) => index + 1));
  },
);

test("the effect in flight at a kill runs again, with a notice and a note to its agent", async () => {
  const { source, props } = workflows["a loop with a check and a snapshot"] as NonNullable<
    (typeof workflows)[string]
  >;
  const { lines } = await straight({ source, props });
  const cut = lines.findIndex((line) => line.includes('"need.begun"') && line.includes('"/fix#2"')) + 1;
  const it = stage(source, { ...props, log: lines.slice(0, cut) });
  await it.resume();
  expect(it.events[0]).toMatchObject({ type: "run.resumed" });
  expect(it.of("notice")).toMatchObject([{ code: "BEGUN_AGAIN", path: "/fix#2" }]);
  expect(it.prompts[0]?.prompt).toMatch(/^Note: an earlier attempt .*\n\nround 2/);
});

test("a log of a newer version, a diverged log and an empty one are refused with a sentence", async () => {
  const { source, props } = workflows["a gate between iterations and an approval"] as NonNullable<
    (typeof workflows)[string]
  >;
  const { lines } = await straight({ source, props });
  const first = JSON.parse(lines[0] ?? "");
  const newer = stage(source, { log: [JSON.stringify({ ...first, v: 2 })] });
  await expect(newer.resume()).rejects.toThrow(/newer until-green/);
  const diverged = stage(source, {
    log: [lines[0] ?? "", JSON.stringify({ type: "need.begun", at: "x", path: "/nowhere" })],
  });
  await expect(diverged.resume()).rejects.toThrow(/\/nowhere/);
  await expect(stage(source, { store: memoryStore() }).resume()).rejects.toThrow(/there is no run/);
});

test("no agent is called while its answer could not be recorded; once it could, the run continues", async () => {
  const store = memoryStore();
  const full = { ...store, probe: () => Promise.reject(new Error("no space is left")) };
  const source = "name: t\nnodes:\n  - { id: a, prompt: work }\n";
  const first = stage(source, { store: full });
  await expect(first.begin()).rejects.toThrow("no space is left");
  const second = stage(source, { store: full });
  await expect(second.resume()).rejects.toThrow("no space is left");
  expect([...first.prompts, ...second.prompts]).toEqual([]);
  const third = stage(source, { store });
  expect((await third.resume()).ended).toBe(true);
  expect(third.prompts).toHaveLength(1);
});

test.each(["snapshot", "protect"])(
  "a full disk during a %s ends the process, not the loop: once there is room, the run continues",
  async (op) => {
    const store = memoryStore();
    const source =
      "name: t\nnodes:\n  - id: a\n    loop: { prompt: work, until: DONE, max_iterations: 2, protect: [tests] }\n";
    const full = Object.assign(new Error("raw"), { code: "ENOSPC", path: "/repo/.git" });
    let asked = 0;
    const workspace = (request: WorkspaceRequest) => {
      if (request.op === op && asked > 0) throw full;
      return { commit: "c0", tree: "t0", restored: [] };
    };
    const agent = () => {
      asked += 1;
      return "DONE";
    };
    const first = stage(source, { store, agent, workspace });
    await expect(first.begin()).rejects.toMatchObject({
      name: "EnvironmentError",
      message: expect.stringMatching(/no space is left for \/repo\/\.git .*not lost; free some space/),
    });
    const second = stage(source, {
      store,
      agent,
      workspace: () => ({ commit: "c1", tree: "t1", restored: [] }),
    });
    await second.resume();
    expect(second.end()).toMatchObject({ conclusion: "success", iterations: 1 });
    expect(asked).toBe(1);
  },
);

test("a store that fails at the release too reports what failed first", async () => {
  const store = memoryStore();
  const hold = () => Promise.resolve(() => Promise.reject(new Error("cannot be released")));
  const probe = () => Promise.reject(Object.assign(new Error("raw"), { code: "EROFS", path: "/store" }));
  const failing = stage("name: t\nnodes:\n  - { id: a, prompt: work }\n", {
    store: { ...store, hold, probe },
  });
  await expect(failing.begin()).rejects.toThrow(
    /\/store is on a disk that is read-only now .*make it writable/,
  );
});
