import { expect, test } from "vitest";
import { protectState } from "../../../src/stores/git/private-parts.ts";
import { listByGraphql, readByGraphql } from "../../../src/stores/rest/read-by-graphql.ts";
import { readByRest, readRef } from "../../../src/stores/rest/read-by-rest.ts";
import { tipOf } from "../../../src/stores/rest/tip.ts";
import { inBase64, restHost, stateOf, status } from "../../parts/rest-host.ts";

const run = "run-001";
const own = "refs/until-green";
const branches = "refs/heads/until-green";
const file = (text: string | null) => ({ object: { text } });
const target = (commit: string, of = run, events: string | null = "{}\n\n[]\n") => ({
  target: { oid: commit, state: file(stateOf(of)), events: file(events) },
});

/** Reads a run from a host whose GraphQL gives this answer. */
async function read(repository: object | undefined, related = {}, of = run) {
  const host = restHost();
  host.graph = () => ({ repository });
  const found = await readByGraphql(host.location, of, related);
  return { found, ...host.calls[0]?.parameters } as { found: typeof found } & Record<string, unknown>;
}

test("a run and all that is asked about it come in one query", async () => {
  const { found } = await read(
    {
      own: target("c1"),
      talk: { headRefOid: "h1", author: { login: "bob", __typename: "User" } },
      file: { text: "a: 1\n" },
      collaborators: { edges: [null, { permission: "WRITE", node: { login: "ann" } }] },
    },
    { pull: 7, file: "a.yml", login: "Ann" },
  );
  expect(found).toMatchObject({
    tip: { commit: "c1" },
    head: "h1",
    author: "bob",
    text: "a: 1\n",
    role: "write",
  });
});

test("the query names the refs, the pull request, the file and the person", async () => {
  const { query, ...variables } = await read(
    undefined,
    { pull: 7, file: "a.yml", login: "Ann" },
    "run-001-item-2",
  );
  expect(variables).toEqual({
    ...{ found: undefined, owner: "octocat", repo: "hello", pull: 7, login: "Ann", path: "HEAD:a.yml" },
    own: `${own}/run-001/items/2/state`,
    branch: `${branches}/run-001/items/2/state`,
  });
  expect(query).toContain(
    "query ($owner: String!, $repo: String!, $own: String!, $branch: String!, $path: String!, $pull: Int!, $login: String!) {",
  );
  for (const part of [
    "own: ref(qualifiedName: $own) { ...tip }",
    "branch: ref(qualifiedName: $branch) { ...tip }",
    "file: object(expression: $path) { ... on Blob { text isTruncated } }\n    talk: issueOrPullRequest(number: $pull) {",
    "... on Issue { author { login __typename } } }\n    collaborators(login: $login, first: 1) {",
    "fragment tip on Ref {",
  ])
    expect(query).toContain(part);
  const plain = await read(undefined);
  expect(plain["query"]).toContain("$branch: String!, $path: String!) {");
  expect(plain["query"]).not.toMatch(/talk|collaborators/);
  expect(plain).toMatchObject({ path: "HEAD:", own: `${own}/${run}/state` });
});

const nothing = { head: undefined, author: undefined, text: undefined, role: undefined };

test("a run is found in refs of its own, or else in branches", async () => {
  const both = await read({ own: target("c1"), branch: target("c2") });
  expect(both.found).toEqual({
    ...nothing,
    tip: tipOf({ run, space: own, commit: "c1", state: stateOf(run), events: "{}\n[]\n" }, undefined),
  });
  expect(both.found?.tip?.lines).toEqual(["{}", "[]"]);
  const second = await read({ own: null, branch: target("c2") });
  expect(second.found?.tip).toMatchObject({ space: branches, commit: "c2" });
  expect((await read({ branch: target("c2") })).found?.tip?.space).toBe(branches);
  expect((await read({ own: null, branch: null })).found).toEqual({ ...nothing, tip: undefined });
  expect((await read({})).found).toEqual({ ...nothing, tip: undefined });
});

test("what GraphQL does not return is read another way, and what is damaged is an error", async () => {
  for (const answer of [
    undefined,
    { own: { target: {} } },
    { own: target("c1", run, null) },
    { own: { target: { oid: "c1", state: file(stateOf(run)), events: null } } },
  ])
    expect((await read(answer)).found).toBeUndefined();
  await expect(read({ own: target("c1", "run-002") })).rejects.toThrow(
    /^the record of run run-001 is damaged at commit c1: it is not that of the run$/,
  );
});

test.each<[string, object, object]>([
  ["a person", { author: { login: "bob", __typename: "User" } }, { author: "bob" }],
  ["an app", { author: { login: "ci", __typename: "Bot" } }, { author: "ci[bot]" }],
  ["an app by its full name", { author: { login: "ci[bot]", __typename: "Bot" } }, { author: "ci[bot]" }],
  ["nobody", { author: null, headRefOid: "h1" }, { author: undefined, head: "h1" }],
])("who opened a pull request: %s", async (_, talk, facts) => {
  expect((await read({ talk }, { pull: 1 })).found).toMatchObject(facts);
});

test.each<[string, object, object]>([
  ["an admin", { edges: [{ permission: "ADMIN", node: { login: "ANN" } }] }, { role: "admin" }],
  ["another person", { edges: [{ permission: "ADMIN", node: { login: "anna" } }] }, { role: undefined }],
  ["no role of ours", { edges: [{ permission: "OWNER", node: { login: "ann" } }] }, { role: undefined }],
  ["nobody", { edges: [] }, { role: undefined }],
  ["nothing that may be shown", { edges: null }, { role: undefined }],
])("the role of a person is that of exactly this one: %s", async (_, collaborators, facts) => {
  expect((await read({ collaborators }, { login: "ann" })).found).toMatchObject(facts);
  expect((await read({ collaborators })).found?.role).toBeUndefined();
});

// GitHub cuts the text of a blob after 512,000 bytes: https://github.com/sveltia/sveltia-cms/issues/950
test("a file that GraphQL cut off is read another way", async () => {
  const cut = { object: { text: "{}\n", isTruncated: true } };
  const whole = target("c1").target;
  for (const part of ["state", "events"] as const) {
    const cutOff = { target: { ...whole, [part]: cut } };
    expect((await read({ own: cutOff })).found).toBeUndefined();
    const { prefix, name } = node([`${own}/`, "run-001/state"]);
    expect((await survey(list({ prefix, name, ...cutOff }))).found).toBeUndefined();
  }
  expect((await read({ file: cut.object }, { file: "a" })).found?.text).toBeUndefined();
  expect((await read(undefined))["query"]).toContain("... on Blob { text isTruncated }");
});

test("a file that is missing is empty, and one that is too long is read another way", async () => {
  const text = async (blob: unknown, related: object = { file: "a" }) =>
    (await read({ file: blob }, related)).found?.text;
  expect(await text({ text: "a" })).toBe("a");
  expect(await text(null)).toBe("");
  expect(await text(undefined)).toBe("");
  expect(await text({ text: null })).toBeUndefined();
  expect(await text({ text: "a" }, {})).toBeUndefined();
});

test("an error with a part of the answer is an answer, and a host without GraphQL is asked once", async () => {
  const host = restHost();
  const shared = { hasGraph: true };
  const location = { ...host.location, host: shared };
  host.graph = () => {
    throw status(200, { data: { repository: { own: target("c1") } } });
  };
  expect((await readByGraphql(location, run, {}))?.tip?.commit).toBe("c1");
  host.graph = () => {
    throw status(502);
  };
  expect(await readByGraphql(location, run, {})).toBeUndefined();
  expect(shared.hasGraph).toBe(true);
  host.graph = undefined;
  expect(await readByGraphql(location, run, {})).toBeUndefined();
  expect(shared.hasGraph).toBe(false);
  const before = host.calls.length;
  expect(await readByGraphql(location, run, {})).toBeUndefined();
  expect(await listByGraphql(location, {})).toBeUndefined();
  expect(host.calls).toHaveLength(before);
  // Nobody remembers it: it is asked again, and that is no error.
  expect(await readByGraphql(host.location, run, {})).toBeUndefined();
});

const node = ([prefix, name]: readonly [string, string], commit = "c1", of = run) => ({
  ...{ prefix, name },
  ...target(commit, of),
});
const list = (...nodes: readonly object[]) => ({ totalCount: nodes.length, nodes });

async function survey(own: object, branches: object = list(), related = {}) {
  const host = restHost();
  host.graph = () => ({ repository: { own, branches, file: { text: "a" } } });
  const found = await listByGraphql(host.location, related);
  return { found, tips: found?.tips.map(({ run, space, commit }) => [run, space, commit]), host };
}

test("all runs are listed in one query, those in refs of their own first", async () => {
  const { tips, found, host } = await survey(
    list(
      node([`${own}/`, "run-001/state"]),
      node([`${own}/`, "run-001/work"]),
      node([`${own}/run-002/items/3/`, "state"], "c3", "run-002-item-3"),
      node([`${own}/`, "run-004/state"], "c4", "damaged"),
    ),
    list(
      node([`${branches}/`, "run-001/state"], "b1"),
      node([`${branches}/`, "run-005/state"], "b5", "run-005"),
      node(["refs/heads/", "until-green/run-006/state"], "b6", "run-006"),
      { prefix: "refs/heads/", name: "main", target: "odd" },
    ),
    { file: "a" },
  );
  expect(tips).toEqual([
    ["run-001", own, "c1"],
    ["run-002-item-3", own, "c3"],
    ["run-005", branches, "b5"],
    ["run-006", branches, "b6"],
  ]);
  expect(found).toMatchObject({ ...nothing, text: "a" });
  const { query, ...variables } = host.calls[0]?.parameters ?? {};
  expect(variables).toEqual({
    ...{ owner: "octocat", repo: "hello", own: `${own}/`, branches: `${branches}/`, path: "HEAD:a" },
    ...{ pull: undefined, login: undefined },
  });
  expect(query).toContain(
    "query ($owner: String!, $repo: String!, $own: String!, $branches: String!, $path: String!) {",
  );
  for (const [name, prefix] of [
    ["own", "$own"],
    ["branches", "$branches"],
  ])
    expect(query).toContain(
      `${name}: refs(refPrefix: ${prefix}, first: 100) { totalCount nodes { prefix name ...tip } }`,
    );
  expect(query).toContain("file: object(expression: $path)");
  expect(query).toContain("fragment tip on Ref {");
});

test.each<[string, object, object?]>([
  ["there are more refs than it returns", { ...list(node([`${own}/`, "run-001/state"])), totalCount: 2 }],
  [
    "there are more branches than it returns",
    list(node([`${own}/`, "run-001/state"])),
    { totalCount: 1, nodes: [] },
  ],
  ["a record is too long", list({ prefix: `${own}/`, name: "run-001/state", ...target("c1", run, null) })],
  ["a ref has no commit", list({ prefix: `${own}/`, name: "run-001/state" })],
  ["there are none, which proves nothing", list()],
  ["the answer is another one", { nodes: [] }],
])("the list is read another way if %s", async (_, first, second) => {
  expect((await survey(first, second)).found).toBeUndefined();
});

test("without GraphQL a run is read in turn, from refs of its own first", async () => {
  const host = restHost();
  expect(await readByRest(host.location, run, {})).toEqual({ ...nothing, tip: undefined });
  host.put(run, "b1", { space: branches });
  host.files.set("b1:events", "{}\n");
  const first = await readByRest(host.location, run, {});
  expect(first.tip).toMatchObject({ space: branches, commit: "b1", lines: [] });
  host.put(run, "c1");
  expect((await readByRest(host.location, run, { lines: true })).tip).toMatchObject({
    ...{ space: own, commit: "c1", lines: ["{}"], state: JSON.parse(stateOf(run)) },
  });
  const events = host.routes().filter((route) => route === "GET contents/events");
  expect(events).toHaveLength(1);
  host.files.delete("c1:state");
  await expect(readByRest(host.location, run, {})).rejects.toThrow("damaged at commit c1");
  expect(await readRef(host.location, own, run)).toBe("c1");
  expect(await readRef(host.location, own, "run-009")).toBeUndefined();
});

test("a file that is too long for one request is read by its id", async () => {
  const host = restHost();
  host.put(run, "c1");
  host.answer = (route) => {
    if (route.endsWith("contents/state")) return { sha: "blob1" };
    if (route.endsWith("git/blobs/blob1")) return { content: inBase64(stateOf(run)), encoding: "base64" };
    return undefined;
  };
  expect((await readByRest(host.location, run, {})).tip?.commit).toBe("c1");
  expect(host.calls.find(({ route }) => route.endsWith("contents/state"))?.parameters).toEqual({
    ...{ owner: "octocat", repo: "hello", ref: "c1" },
  });
});

test("without GraphQL the pull request is read beside it, and may be missing or fail", async () => {
  const host = restHost();
  host.put(run, "c1");
  const pull = { user: { login: "bob" }, head: { sha: "h1" } };
  host.answer = (route, { pull: number }) =>
    route === "GET /repos/{owner}/{repo}/pulls/{pull}" && number === 7 ? pull : undefined;
  const read = (number: number) => readByRest(host.location, run, { pull: number, file: "a", login: "ann" });
  expect(await read(7)).toMatchObject({ ...nothing, head: "h1", author: "bob" });
  expect(await read(8)).toMatchObject(nothing);
  host.answer = (route) => (route.includes("pulls") ? { ...pull, user: null } : undefined);
  expect(await read(7)).toMatchObject({ head: "h1", author: undefined });
  host.answer = (route) => {
    if (route.includes("pulls")) throw status(500);
    return undefined;
  };
  await expect(read(7)).rejects.toThrow("HTTP 500");
});

test("a tip has its state in plain text, and as it is stored", () => {
  const key = { secret: "key", repository: "octocat/hello" };
  const stored = protectState({ ...JSON.parse(stateOf(run)), commands: "a" }, key);
  const state = JSON.stringify(stored);
  const read = { run, space: own, commit: "c1", state, events: null } as const;
  const tip = tipOf(read, key);
  expect(tip).toMatchObject({ run, space: own, commit: "c1", lines: [], stored, state: { commands: "a" } });
  expect(() => tipOf(read, undefined)).toThrow(/is encrypted with/);
  for (const wrong of [null, undefined, "", "{}"])
    expect(() => tipOf({ ...read, state: wrong }, key)).toThrow("it is not that of the run");
});
