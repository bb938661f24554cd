import { expect, test } from "vitest";
import { claimRecord } from "../../../src/stores/git/claims.ts";
import { localHost } from "../../parts/local-host.ts";

const of = "wide-77-1";
const spent = (state: string, [input_tokens = 0, output_tokens = 0, cost_usd = 0]: readonly number[]) => ({
  status: { summary: { state, usage: { input_tokens, output_tokens, cost_usd } } },
});

function open(key?: string) {
  const host = localHost();
  const stop = new AbortController();
  const gitDir = host.repository();
  const record = claimRecord(async () => ({
    remote: { ...(await host.remote()), stop: stop.signal },
    gitDir,
    format: "sha1",
    key: key === undefined ? undefined : host.keyOf(key),
  }));
  return { ...host, record, stop };
}

test("what the jobs of a fan-out have spent is read from their records, with the claims beside them", async () => {
  const { write, record, git, refs } = open();
  expect(await record.read(of)).toEqual({
    version: undefined,
    space: "refs/until-green",
    claims: undefined,
    jobs: new Map(),
  });
  write(`${of}-item-1`, spent("running", [100, 20, 0.5]));
  write(`${of}-item-12`, spent("ended", [1, 2, 3]));
  // No status yet, or one of another version; and runs that are none of its items.
  write(`${of}-item-3`);
  write(`${of}-item-4`, { status: { summary: { state: "running" } } });
  write("wide-77-2-item-1", spent("running", [9, 9, 9]));
  write(of, spent("running", [8, 8, 8]));
  const first = await record.read(of);
  expect([first.claims, first.version]).toEqual([undefined, undefined]);
  expect([...first.jobs].toSorted(([a], [b]) => a - b)).toEqual([
    [1, { usd: 0.5, tokens: 120, ended: false }],
    [12, { usd: 3, tokens: 3, ended: true }],
  ]);
  expect(await record.write(of, first, { jobs: { 1: 2 } })).toBe(true);
  expect(refs()).toContain(`refs/until-green/${of}/claims`);
  expect(git("log", "--format=%s", `refs/until-green/${of}/claims`)).toBe(`claims of ${of}`);
  const second = await record.read(of);
  expect(second).toMatchObject({
    claims: { jobs: { 1: 2 } },
    version: git("rev-parse", `refs/until-green/${of}/claims`),
  });
  expect(second.jobs).toEqual(first.jobs);
});

test("claims are replaced only if they are still those that were read", async () => {
  const { write, record, stop, git } = open();
  write(`${of}-item-1`, spent("running", [0, 0, 0]));
  const read = await record.read(of);
  expect(await record.write(of, read, { mine: 1 })).toBe(true);
  const again = await record.read(of);
  expect(await record.write(of, again, { mine: 2 })).toBe(true);
  // A process that must exit learns at once that it came too late.
  stop.abort();
  for (const late of [read, again]) expect(await record.write(of, late, { theirs: 1 })).toBe(false);
  expect(git("show", `refs/until-green/${of}/claims:claims`)).toBe('{"mine":2}');
});

test("the claims of runs in branches are beside them, and what cannot be read there is null", async () => {
  const { write, record, git } = open();
  const space = "refs/heads/until-green";
  const { id } = write(`${of}-item-2`, { ...spent("ended", [1, 1, 1]), space });
  const read = await record.read(of);
  expect([read.space, [...read.jobs.keys()]]).toEqual([space, [2]]);
  expect(await record.write(of, read, [1])).toBe(true);
  expect((await record.read(of)).claims).toEqual([1]);
  git("update-ref", `${space}/${of}/claims`, id);
  expect(await record.read(of)).toMatchObject({ version: id, claims: null });
});

test("what jobs have spent is read with the key of their records", async () => {
  const { write, record, keyOf } = open("key");
  write(`${of}-item-1`, { ...spent("running", [1, 1, 1]), key: keyOf("key") });
  write(`${of}-item-2`, { ...spent("running", [2, 2, 2]), key: keyOf("other") });
  expect([...(await record.read(of)).jobs.keys()]).toEqual([1]);
});
