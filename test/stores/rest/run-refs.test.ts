import { expect, test } from "vitest";
import { listRefs, readTips, removeRuns, runsIn } from "../../../src/stores/rest/run-refs.ts";
import { tipOf } from "../../../src/stores/rest/tip.ts";
import { restHost, stateOf, status } from "../../parts/rest-host.ts";

const own = "refs/until-green";
const branches = "refs/heads/until-green";
const id = (number: number) => `run-${String(number).padStart(3, "0")}`;

/** The tip of a run as it was read before it is removed. */
const tip = (run: string, commit: string, space: typeof own | typeof branches = own) =>
  tipOf({ run, space, commit, state: stateOf(run), events: undefined }, undefined);

test("all refs of runs are listed, and the runs that have a record", async () => {
  const { refs, location } = restHost();
  for (const [ref, commit] of [
    [`${own}/run-001/state`, "c1"],
    [`${own}/run-001/work`, "c2"],
    [`${branches}/run-002/state`, "c3"],
    [`${branches}/run-001/state`, "c4"],
    [`${own}/run-003/work`, "c5"],
    [`${own}/run-003/items/7/state`, "c6"],
    ["refs/heads/main", "c7"],
  ] as const)
    refs.set(ref, commit);
  const listed = await listRefs(location);
  expect(listed).toHaveLength(6);
  expect(listed).toContainEqual({
    ref: `${branches}/run-002/state`,
    commit: "c3",
    space: branches,
    name: "run-002/state",
  });
  expect(runsIn(listed)).toEqual(["run-001", "run-003-item-7", "run-002"]);
});

/** Answers a query for states as a host does. */
const states =
  (files: ReadonlyMap<string, string>, seen: number[] = []) =>
  (query: string, { owner, repo, ...variables }: Readonly<Record<string, unknown>>) => {
    expect([owner, repo]).toEqual(["octocat", "hello"]);
    expect(query).toContain('fragment state on Commit { state: file(path: "state")');
    const names = Object.keys(variables);
    seen.push(names.length);
    for (const name of names) {
      expect(query).toMatch(new RegExp(`\\$${name}: GitObjectID!(, |\\) \\{)`));
      expect(query).toMatch(
        new RegExp(`\\n {4}${name}: object\\(oid: \\$${name}\\) \\{ \\.\\.\\.state \\}\\n`),
      );
    }
    const answer = (commit: unknown) => {
      const text = files.get(`${commit}:state`);
      return text === undefined ? null : { state: { object: { text } } };
    };
    return { repository: Object.fromEntries(names.map((name) => [name, answer(variables[name])])) };
  };

test("the tips of runs are read in batches of fifty, and damaged or missing ones are left out", async () => {
  const host = restHost();
  for (let number = 0; number < 101; number += 1) host.put(id(number), `c${number}`);
  host.put("run-001", "b1", { space: branches, state: stateOf("run-001", { owner: "branch" }) });
  host.put("run-200", "b2", { space: branches });
  host.refs.set(`${own}/run-001/work`, "w1");
  host.files.set("c3:state", "damaged");
  host.files.delete("c4:state");
  host.files.set("c5:state", stateOf("run-006"));
  const seen: number[] = [];
  host.graph = states(host.files, seen);
  const tips = await readTips(host.location, await listRefs(host.location));
  expect(seen).toEqual([50, 50, 2]);
  expect(tips.size).toBe(99);
  for (const number of [3, 4, 5]) expect(tips.has(id(number))).toBe(false);
  // In both spaces: that of its own counts.
  expect(tips.get("run-001")).toMatchObject({
    space: own,
    commit: "c1",
    head: { owner: "other" },
    lines: [],
  });
  expect(tips.get("run-200")).toMatchObject({ space: branches, commit: "b2" });
  expect(tips.get("run-100")?.state).toEqual(JSON.parse(stateOf("run-100")));
});

test("a host without GraphQL, or with a part of an answer, gives the tips that it has", async () => {
  const host = restHost();
  host.put("run-001", "c1");
  host.put("run-002", "c2");
  const read = async (more = {}) => {
    const location = { ...host.location, ...more };
    return [...(await readTips(location, await listRefs(location))).keys()];
  };
  expect(await read()).toEqual([]);
  const before = host.routes().filter((route) => route === "graphql").length;
  expect(await read({ host: { hasGraph: false } })).toEqual([]);
  expect(host.routes().filter((route) => route === "graphql")).toHaveLength(before);
  host.graph = () => {
    const data = { repository: { c0: { state: { object: { text: stateOf("run-001") } } }, c1: null } };
    throw status(200, { data });
  };
  expect(await read({ host: { hasGraph: true } })).toEqual(["run-001"]);
  host.graph = () => ({ repository: "odd" });
  expect(await read()).toEqual([]);
});

/** Runs with all kinds of refs; `gone` are those that were removed. */
function openRemoval(...numbers: readonly number[]) {
  const host = restHost();
  for (const number of numbers) {
    host.put(id(number), `c${number}`);
    for (const kind of ["work", "attempt"]) host.refs.set(`${own}/${id(number)}/${kind}`, `${kind}${number}`);
  }
  const gone: string[] = [];
  const remove = (tips: Parameters<typeof removeRuns>[1], mostRequests = 99) =>
    removeRuns(host.location, tips, { mostRequests, gone: (run) => gone.push(run) });
  const tips = numbers.map((number) => tip(id(number), `c${number}`));
  const removal = (name: string, commit: string) => ({
    name: `${own}/${name}`,
    beforeOid: commit,
    afterOid: "0".repeat(40),
  });
  /** Carries out mutations; `refuses` those that have such a ref. */
  const mutate = (refuses = /^$/) => {
    const batches: string[][] = [];
    host.graph = (query, { owner, repo, input }) => {
      if (input === undefined) {
        expect(query).toMatch(/repository\(owner: \$owner, name: \$repo\) \{ id \}/);
        expect([owner, repo]).toEqual(["octocat", "hello"]);
        return { repository: { id: "R1" } };
      }
      expect(query).toMatch(/^mutation \(\$input: UpdateRefsInput!\) \{ updateRefs\(input: \$input\)/);
      const { repositoryId, refUpdates } = input as { repositoryId: string; refUpdates: { name: string }[] };
      expect(repositoryId).toBe("R1");
      batches.push(refUpdates.map(({ name }) => name));
      if (refUpdates.some(({ name }) => refuses.test(name))) throw status(422);
      for (const { name } of refUpdates) host.refs.delete(name);
      return {};
    };
    return batches;
  };
  return { ...host, host, gone, remove, tips, removal, mutate };
}

test("runs are removed in batches, their records last", async () => {
  const { host, gone, remove, tips, mutate } = openRemoval(...Array.from({ length: 51 }, (_, at) => at));
  const batches = mutate();
  await remove(tips);
  expect(batches.map(({ length }) => length)).toEqual([150, 3]);
  expect(batches[1]).toEqual(["attempt", "work", "state"].map((kind) => `${own}/run-050/${kind}`));
  expect([gone.length, host.refs.size]).toEqual([51, 0]);
});

test("what is sent names the commit of each ref that was seen", async () => {
  const { host, remove, tips, removal, mutate } = openRemoval(1);
  mutate();
  await remove(tips);
  expect(host.calls.at(-1)?.parameters["input"]).toEqual({
    repositoryId: "R1",
    refUpdates: [
      removal("run-001/attempt", "attempt1"),
      removal("run-001/work", "work1"),
      removal("run-001/state", "c1"),
    ],
  });
});

test("a run whose record changed since it was read stays, and so does one that is in the other space", async () => {
  const { host, gone, remove, mutate } = openRemoval(1, 2, 3);
  mutate();
  host.refs.delete(`${own}/run-003/state`);
  await remove([tip("run-001", "older"), tip("run-002", "c2", branches), tip("run-003", "c3")]);
  expect(gone).toEqual([]);
  expect(host.refs.size).toBe(8);
});

test("nothing is asked if nothing is to be removed, or nothing may be sent", async () => {
  const { host, remove, tips, gone } = openRemoval(1);
  await remove([]);
  expect(host.calls).toEqual([]);
  await remove(tips, 0);
  expect([gone, host.refs.size]).toEqual([[], 3]);
});

test("a batch that the host refuses is removed one by one, as far as the number of requests allows", async () => {
  const { host, gone, remove, tips, mutate } = openRemoval(1, 2, 3);
  mutate(/run-002/);
  // One for the batch, and four for each run.
  await remove(tips, 12);
  expect(gone).toEqual(["run-001", "run-002"]);
  expect(host.routes().filter((route) => route.startsWith("DELETE"))).toEqual([
    ...["attempt", "work", "state"].map((kind) => `DELETE git/refs/until-green/run-001/${kind}`),
    ...["attempt", "work", "state"].map((kind) => `DELETE git/refs/until-green/run-002/${kind}`),
  ]);
  await remove(tips.slice(2), 5);
  expect(gone).toEqual(["run-001", "run-002", "run-003"]);
});

test("after a batch that used up the requests, no other one is tried", async () => {
  const { gone, remove, tips, mutate, host } = openRemoval(...Array.from({ length: 60 }, (_, at) => at));
  mutate();
  await remove(tips, 1);
  expect([gone.length, host.refs.size]).toEqual([50, 30]);
});

test("without GraphQL, a run that was written to meanwhile stays, and a ref that is gone is no error", async () => {
  const { host, gone, remove, tips } = openRemoval(1, 2, 3);
  host.answer = (route) => {
    if (route.endsWith("git/ref/until-green/run-001/state")) return { object: { sha: "newer" } };
    if (route.startsWith("DELETE") && route.endsWith("run-002/work")) throw status(422);
    if (route.startsWith("DELETE") && route.endsWith("run-002/attempt")) throw status(404);
    // Another job has removed its record already.
    if (route.endsWith("git/ref/until-green/run-003/state")) throw status(404);
    return undefined;
  };
  await remove(tips);
  expect(gone).toEqual(["run-002", "run-003"]);
  expect([...host.refs.keys()].filter((ref) => ref.endsWith("/state"))).toEqual([`${own}/run-001/state`]);
  const refused = openRemoval(1);
  refused.host.answer = (route) => {
    if (route.startsWith("DELETE")) throw status(403);
    return undefined;
  };
  await expect(refused.remove(refused.tips)).rejects.toThrow("HTTP 403");
  expect(refused.gone).toEqual([]);
});

test("a host that is known to have no GraphQL is not asked for it", async () => {
  const { host, tips, gone } = openRemoval(1);
  const location = { ...host.location, host: { hasGraph: false } };
  await removeRuns(location, tips, { mostRequests: 9, gone: (run) => gone.push(run) });
  expect(host.routes()).not.toContain("graphql");
  expect(gone).toEqual(["run-001"]);
});
