import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { type ObjectFormat, readObjects, writeCommit } from "../../git/objects.ts";
import { type Remote, RemoteError } from "../../git/remote.ts";
import { listRefs, pushOnce } from "../../git/remote-calls.ts";
import { isRefused, reasonOf } from "../../git/remote-faults.ts";
import { budgetTokens } from "../../ports/agent.ts";
import type { Json } from "../../ports/json.ts";
import type { ClaimRecord, RecordedClaims } from "../../ports/store.ts";
import { placeOf, runAt } from "../run-id.ts";
import { readHead } from "./commit-log.ts";
import { nameIn } from "./list.ts";
import { fetchCommits } from "./many-runs.ts";
import { spaces } from "./run-refs.ts";
import type { StateKey } from "./sign.ts";

interface ClaimsRepository {
  readonly remote: Remote;
  /** A repository for these calls only. */
  readonly gitDir: string;
  readonly format: ObjectFormat;
  readonly key: StateKey | undefined;
}

/**
 * The claims of a fan-out, in one ref next to its items, `<run>/claims`: a commit with the file `claims`. It is always
 * replaced as a whole, and only if the ref is still at the commit that was read.
 */
export function claimRecord(open: () => Promise<ClaimsRepository>): ClaimRecord {
  return {
    read: async (of) => await readClaims(await open(), of),
    async write(of, { version, space }, claims) {
      const { remote, gitDir, format } = await open();
      const tree = { claims: Buffer.from(`${JSON.stringify(claims)}\n`) };
      const at = new Date().toISOString();
      const to = writeCommit(gitDir, format, { tree, parents: [], at, message: `claims of ${of}` });
      const updates = [{ ref: `${space}/${of}/claims`, to, expected: version }];
      const text = await pushOnce(remote, { gitDir, updates, atomic: false });
      if (text === "") return true;
      if (isRefused(remote, "write", text))
        throw new RemoteError(`${remote.name} takes no claims: ${reasonOf(text)}`);
      // Many jobs may write at the same time.
      await wait(200 + Math.random() * 1_500, undefined, { signal: remote.stop }).catch(() => undefined);
      return false;
    },
  };
}

async function readClaims({ remote, gitDir, key }: ClaimsRepository, of: string): Promise<RecordedClaims> {
  const refs = await listRefs(remote, {
    gitDir,
    patterns: spaces.map((space) => `${space}/${placeOf(of)}/*`),
  });
  const space = spaces.find((one) => [...refs.keys()].some((ref) => ref.startsWith(`${one}/`))) ?? spaces[0];
  const version = refs.get(`${space}/${of}/claims`);
  const items = [...refs].flatMap(([ref, tip]) => {
    const number = /-item-(\d+)$/.exec(runAt(nameIn(ref)) ?? "")?.[1];
    return number === undefined ? [] : [{ number: Number(number), tip }];
  });
  const commits = [...items.map(({ tip }) => tip), ...(version === undefined ? [] : [version])];
  await fetchCommits(remote, { gitDir, commits, options: ["--depth=1"] });
  const files = await readObjects(gitDir, [
    ...items.map(({ tip }) => `${tip}:state`),
    ...(version === undefined ? [] : [`${version}:claims`]),
  ]);
  const jobs = items.flatMap(({ number }, at) => {
    const status = statusSchema.safeParse(readHead(files[at], key)?.status);
    if (!status.success) return [];
    const { state, usage } = status.data.summary;
    const spent = { usd: usage.cost_usd, tokens: budgetTokens(usage), ended: state === "ended" };
    return [[number, spent] as const];
  });
  const claims = version === undefined ? undefined : jsonOf(files.at(-1));
  return { version, space, claims, jobs: new Map(jobs) };
}

const statusSchema = z.object({
  summary: z.object({
    state: z.string(),
    usage: z.object({ input_tokens: z.number(), output_tokens: z.number(), cost_usd: z.number() }),
  }),
});

function jsonOf(file: Buffer | undefined): Json {
  try {
    return JSON.parse(file?.toString("utf8") ?? "null") as Json;
  } catch {
    return null;
  }
}
