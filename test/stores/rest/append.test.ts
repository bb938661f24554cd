import { expect, test } from "vitest";
import { BrokenLogError, brokenLine } from "../../../src/ports/store.ts";
import { digestOf } from "../../../src/stores/git/commit-log.ts";
import { eventsIn, openState, protectState } from "../../../src/stores/git/private-parts.ts";
import { signatureFault, unsigned } from "../../../src/stores/git/sign.ts";
import { restRefs } from "../../../src/stores/rest-ref.ts";
import { restHost, stateOf, status } from "../../parts/rest-host.ts";

const run = "run-001";
const ref = `refs/until-green/${run}/state`;
const at = "2026-01-02T00:00:00.000Z";

/** A host that takes commits; `moves` decides what becomes of each move of the ref. */
function open(more: { state?: string; key?: string; patienceMs?: number; space?: string } = {}) {
  const { space = "refs/until-green", key, patienceMs } = more;
  const host = restHost();
  host.put(run, "c1", { space, state: more.state });
  const moves: (() => void)[] = [];
  const commits = new Map<string, readonly string[]>();
  let made = 0;
  const answer: typeof host.answer = (route, { sha, parents }) => {
    if (route === "POST /repos/{owner}/{repo}/git/trees") return { sha: "tree1" };
    if (route === "POST /repos/{owner}/{repo}/git/commits") {
      made += 1;
      commits.set(`new${made}`, parents as readonly string[]);
      return { sha: `new${made}` };
    }
    const [, below] = /git\/commits\/(\w+)$/.exec(route) ?? [];
    if (below !== undefined) return { parents: (commits.get(below) ?? []).map((id) => ({ sha: id })) };
    if (!route.startsWith("PATCH")) return undefined;
    const next = moves.shift();
    if (next !== undefined) next();
    host.refs.set(`${space}/${run}/state`, String(sha));
    return {};
  };
  host.answer = answer;
  const refs = restRefs({
    ...host.location,
    ...(key === undefined ? {} : { key }),
    ...(patienceMs === undefined ? {} : { patienceMs }),
  });
  const tip = async () => {
    const found = (await refs.look(run)).tip;
    if (found === undefined) throw new Error("the run is not there");
    return found;
  };
  const append = async (lines = ["a", "b"], state?: Readonly<Record<string, unknown>>) =>
    await refs.append(await tip(), { lines, owner: "ann", at, ...(state === undefined ? {} : { state }) });
  const sent = (route: string) => host.calls.find((call) => call.route.startsWith(route))?.parameters;
  const move = (to: string) => host.refs.set(`${space}/${run}/state`, to);
  return { host, refs, moves, commits, tip, append, sent, move };
}
const repository = { owner: "octocat", repo: "hello" };

test("lines are appended as a commit after the tip, with its folders", async () => {
  const folders = { artifacts: "t1", sessions: "t2" };
  const { append, sent, host } = open({ state: stateOf(run, { ...folders, epoch: 4, custom: 1 }) });
  expect(await append(["a", "b"], { more: 2 })).toBe("new1");
  expect(host.refs.get(ref)).toBe("new1");
  const { tree, ...rest } = sent("POST /repos/{owner}/{repo}/git/trees") as {
    tree: readonly { path: string; content?: string }[];
  };
  expect(rest).toEqual(repository);
  expect(tree.map(({ content, ...entry }) => entry)).toEqual([
    { mode: "100644", type: "blob", path: "state" },
    { mode: "100644", type: "blob", path: "events" },
    { mode: "040000", type: "tree", path: "artifacts", sha: "t1" },
    { mode: "040000", type: "tree", path: "sessions", sha: "t2" },
  ]);
  expect(tree[1]?.content).toBe("a\nb\n");
  const state = JSON.parse(tree[0]?.content ?? "");
  const digest = digestOf(digestOf(undefined, Buffer.from("{}\n")), Buffer.from("a\nb\n"));
  expect(state).toEqual({
    ...JSON.parse(stateOf(run, { ...folders, epoch: 4, custom: 1, more: 2 })),
    ...{ seq: 2, lines: 3, owner: "ann", digest, nonce: expect.stringMatching(/^[0-9a-f]{32}$/) },
  });
  expect(tree[0]?.content).toBe(`${JSON.stringify(state, undefined, 2)}\n`);
  const who = { name: "until-green", email: "until-green@users.noreply.github.com", date: at };
  expect(sent("POST /repos/{owner}/{repo}/git/commits")).toEqual({
    ...{ ...repository, message: `${run}: 2\n\n${state.nonce}`, tree: "tree1", parents: ["c1"] },
    ...{ author: who, committer: who },
  });
  expect(sent("PATCH")).toEqual({ ...repository, sha: "new1", force: false });
  expect(host.routes()).toContain(`PATCH git/refs/until-green/${run}/state`);
});

test("a run in branches is continued there, and a line with a line break nowhere", async () => {
  const { append, host, move } = open({ space: "refs/heads/until-green" });
  await append();
  move("c1");
  expect(host.routes()).toContain(`PATCH git/refs/heads/until-green/${run}/state`);
  const before = host.calls.length;
  await expect(append(["a\nb"])).rejects.toThrow(brokenLine);
  expect(
    host
      .routes()
      .slice(before)
      .filter((route) => !/^(GET|graphql)/.test(route)),
  ).toEqual([]);
});

const key = { secret: "key", repository: "octocat/hello" };
const signed = (secret = "key") =>
  JSON.stringify(protectState({ ...JSON.parse(stateOf(run)), commands: "hello" }, { ...key, secret }));

test("with a state key what is appended is encrypted and signed", async () => {
  const { append, sent } = open({ state: signed(), key: "key" });
  expect(await append(["a"])).toBe("new1");
  const { tree } = sent("POST /repos/{owner}/{repo}/git/trees") as { tree: readonly { content: string }[] };
  const stored = JSON.parse(tree[0]?.content ?? "");
  expect(signatureFault(stored, key)).toBeUndefined();
  expect(openState(stored, key, "throw")).toMatchObject({ commands: "hello", seq: 2, v: 2 });
  expect(eventsIn(tree[1]?.content ?? "", run, key)).toEqual(["a"]);
});

test.each<[string, { state: string; key?: string }, string]>([
  [
    "a signed record without the key",
    { state: JSON.stringify({ ...JSON.parse(stateOf(run)), seal: "x" }) },
    "it is signed, and here is no state key",
  ],
  ["an unsigned record with a key", { state: stateOf(run), key: "key" }, unsigned],
])("%s cannot be continued", async (_, record, why) => {
  const { append, host } = open(record);
  await expect(append()).rejects.toThrow(
    new BrokenLogError(
      `the record of run ${run} cannot be continued: ${why}. The app and its jobs need the same key`,
    ),
  );
  expect(host.routes().filter((route) => route.startsWith("POST"))).toEqual([]);
});

test("an update whose answer was lost has won, and one that did not arrive is sent again", async () => {
  const { append, moves, move, host } = open();
  moves.push(() => {
    move("new1");
    throw status(502);
  });
  expect(await append()).toBe("new1");
  move("c1");
  moves.push(
    () => {
      throw status(422);
    },
    () => {
      throw status(500);
    },
  );
  expect(await append()).toBe("new2");
  expect(host.routes().filter((route) => route.startsWith("PATCH"))).toHaveLength(4);
});

test("undefined reports that another writer came first, unless it continued from ours", async () => {
  const { append, moves, move, commits, host } = open();
  const first = (build: () => void) =>
    moves.push(() => {
      build();
      throw status(422);
    });
  first(() => {
    commits.set("theirs", ["c1"]);
    move("theirs");
  });
  expect(await append()).toBeUndefined();
  move("c1");
  const chain = (from: string, length: number) => {
    let below = from;
    for (let step = 1; step <= length; step += 1) {
      commits.set(`n${step}`, [below]);
      below = `n${step}`;
    }
    move(below);
  };
  first(() => chain("new2", 10));
  expect(await append()).toBe("new2");
  // Far more than a run gets while one update is uncertain.
  move("c1");
  first(() => chain("new3", 11));
  expect(await append()).toBeUndefined();
  move("c1");
  first(() => host.refs.clear());
  expect(await append()).toBeUndefined();
});

test.each([401, 403])("a writer that may not do it is refused at once: %i", async (code) => {
  const { append, moves, host } = open();
  moves.push(() => {
    throw status(code);
  });
  await expect(append()).rejects.toThrow(`HTTP ${code}`);
  expect(host.routes().filter((route) => route.startsWith("PATCH"))).toHaveLength(1);
});

test("a host that takes no update is given up when patience runs out", async () => {
  const { append, moves, host } = open({ patienceMs: 250 });
  moves.push(
    ...Array(9).fill(() => {
      throw status(500);
    }),
  );
  await expect(append()).rejects.toThrow("HTTP 500");
  const tried = host.routes().filter((route) => route.startsWith("PATCH")).length;
  expect(tried).toBeGreaterThanOrEqual(2);
  expect(tried).toBeLessThanOrEqual(3);
});

test("all runs of a repository are listed, and read as far as the host can", async () => {
  const { refs, host } = open();
  host.put("run-002", "c2");
  expect(await refs.list()).toEqual([run, "run-002"]);
  const all = await refs.readAll();
  expect([all.ids, all.tips.size]).toEqual([[run, "run-002"], 0]);
  host.graph = () => ({ repository: { c0: { state: { object: { text: stateOf(run) } } } } });
  expect([...(await refs.readAll()).tips.keys()]).toEqual([run]);
  expect(await refs.survey()).toBeUndefined();
  const gone: string[] = [];
  host.graph = undefined;
  const { tip } = await refs.look(run);
  await refs.remove(tip === undefined ? [] : [tip], { mostRequests: 9, gone: (id) => gone.push(id) });
  expect(gone).toEqual([run]);
  await expect(refs.look("../x")).rejects.toThrow("is not a run id");
});

test("the repository that a key is for is named in lowercase", async () => {
  const { host } = open({ state: signed() });
  const refs = restRefs({ ...host.location, owner: "Octocat", repo: "Hello", key: "key" });
  const { tip } = await refs.look(run);
  if (tip === undefined) throw new Error("the run is not there");
  expect(await refs.append(tip, { lines: ["a"], owner: "ann", at })).toBe("new1");
});
