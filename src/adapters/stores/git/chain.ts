import { createHash } from "node:crypto";
import { z } from "zod";
import type { Json } from "../../../ports/json.ts";
import { BrokenLogError } from "../../../ports/store.ts";
import { git } from "../../workspace/git.ts";
import { type ObjectFormat, readObjects, type Tree, writeCommit } from "./objects.ts";
import { isSealed, sealed } from "./seal.ts";

/** What each commit of a run's state says of itself, in its file `state`. */
const headSchema = z.object({
  v: z.literal(1),
  run: z.string(),
  /** The position in the chain, from 1. */
  seq: z.int().positive(),
  /** Rises by one with every process that takes the run. */
  epoch: z.int().nonnegative(),
  /** Chance: two writers never make the same commit. */
  nonce: z.string().min(16),
  owner: z.string(),
  /** When the run began, in ISO 8601. */
  started: z.string(),
  /** How many lines the log has, this commit's included. */
  lines: z.int().nonnegative(),
  /** Of all lines so far. */
  digest: z.string(),
  /** The snapshot of the workspace that belongs to these lines. */
  work: z.string().exactOptional(),
  /** The tree of the run's small files. */
  artifacts: z.string().exactOptional(),
  /** The tree of what its agents need to go on with their conversations. */
  sessions: z.string().exactOptional(),
  /** Where the run stands, for those who read only this. */
  standing: z.unknown().optional(),
});

export type Head = z.infer<typeof headSchema>;

/** One commit of the chain, with the lines it adds. */
export interface Link {
  readonly id: string;
  readonly head: Head;
  readonly lines: readonly string[];
}

export interface Step {
  readonly before: Link | undefined;
  readonly lines: readonly string[];
  readonly run: string;
  readonly epoch: number;
  readonly nonce: string;
  readonly owner: string;
  /** ISO 8601. */
  readonly at: string;
  readonly work: string | undefined;
  readonly artifacts: string | undefined;
  readonly sessions: string | undefined;
  readonly standing: Json | undefined;
  /** Signs it. */
  readonly key: string | undefined;
}

/** Writes the commit that adds lines to a chain. */
export function writeLink(gitDir: string, format: ObjectFormat, step: Step): Link {
  const { before, lines, run, epoch, nonce, owner, at } = step;
  const { work, artifacts, sessions, standing } = step;
  const events = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  const head: Head = {
    v: 1,
    run,
    seq: (before?.head.seq ?? 0) + 1,
    epoch,
    nonce,
    owner,
    started: before?.head.started ?? at,
    lines: (before?.head.lines ?? 0) + lines.length,
    digest: digestOf(before?.head.digest, events),
    ...(work === undefined ? {} : { work }),
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(sessions === undefined ? {} : { sessions }),
    ...(standing === undefined ? {} : { standing }),
  };
  const tree: Tree = {
    state: Buffer.from(
      `${JSON.stringify(step.key === undefined ? head : sealed(head, step.key), undefined, 2)}\n`,
    ),
    events,
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(sessions === undefined ? {} : { sessions }),
  };
  const message = `${run}: ${head.seq}\n\n${nonce}`;
  return { id: writeCommit(gitDir, format, { tree, parent: before?.id, at, message }), head, lines };
}

/** Reads and proves the commits from after `before` to `tip`, oldest first; throws `BrokenLogError`. */
export async function readLinks(
  gitDir: string,
  run: string,
  {
    before,
    tip,
    key,
  }: { readonly before: Link | undefined; readonly tip: string; readonly key?: string | undefined },
): Promise<readonly Link[]> {
  const range = before === undefined ? [tip] : [tip, `^${before.id}`];
  const { out, code } = await git({
    cwd: gitDir,
    args: ["rev-list", "--reverse", "--topo-order", "--parents", ...range],
    accept: [0, 128],
  });
  if (code !== 0) throw broken(run, tip, "its commits cannot be read");
  const commits = out.split("\n").filter(Boolean);
  const ids = commits.map((line) => line.split(" ")[0] ?? "");
  const files = await readObjects(
    gitDir,
    ids.flatMap((id) => [`${id}:state`, `${id}:events`]),
  );
  const links: Link[] = [];
  for (const [index, line] of commits.entries()) {
    const [id = "", ...parents] = line.split(" ");
    const last = links.at(-1) ?? before;
    if (parents.join() !== (last?.id ?? "")) {
      throw broken(run, id, last === undefined ? "it does not begin there" : `it does not follow ${last.id}`);
    }
    links.push(proved({ run, id, last, key, state: files[index * 2], events: files[index * 2 + 1] }));
  }
  if ((links.at(-1) ?? before)?.id !== tip) throw broken(run, tip, `it does not follow ${before?.id}`);
  return links;
}

/** What one commit says of itself, without its history. */
export function readHead(state: Buffer | undefined): Head | undefined {
  try {
    return headSchema.parse(JSON.parse(state?.toString("utf8") ?? ""));
  } catch {
    return undefined;
  }
}

interface Claimed {
  readonly run: string;
  readonly id: string;
  readonly last: Link | undefined;
  readonly state: Buffer | undefined;
  readonly events: Buffer | undefined;
  readonly key: string | undefined;
}

function proved({ run, id, last, state, events, key }: Claimed): Link {
  const newer = /^\s*\{\s*"v":\s*([0-9]+)/.exec(state?.toString("latin1", 0, 64) ?? "")?.[1];
  if (Number(newer) > 1) throw broken(run, id, "it was written by a newer until-green; use that one");
  const head = readHead(state);
  if (head === undefined || events === undefined) throw broken(run, id, "its files are not those of a run");
  if (key !== undefined && !isSealed(JSON.parse(String(state)), key))
    throw broken(run, id, "it is not signed with the state key of this repository");
  const text = events.toString("utf8");
  if (text !== "" && !text.endsWith("\n")) throw broken(run, id, "its events are cut off");
  const lines = text === "" ? [] : text.slice(0, -1).split("\n");
  const faults: readonly (readonly [boolean, string])[] = [
    [head.run !== run, `it belongs to the run ${head.run}`],
    [head.seq !== (last?.head.seq ?? 0) + 1, `its number is ${head.seq}`],
    [head.epoch < (last?.head.epoch ?? 0), "its owner had lost the run"],
    [head.lines !== (last?.head.lines ?? 0) + lines.length, "its count of lines is wrong"],
    [head.digest !== digestOf(last?.head.digest, events), "its events do not fit its digest"],
  ];
  const fault = faults.find(([holds]) => holds);
  if (fault !== undefined) throw broken(run, id, fault[1]);
  return { id, head, lines };
}

/** Of all lines of a chain, by that of the lines before. */
export const digestOf = (before: string | undefined, events: Buffer) =>
  createHash("sha256")
    .update(before ?? "")
    .update("\n")
    .update(events)
    .digest("hex");

export const broken = (run: string, commit: string, because: string) =>
  new BrokenLogError(
    `the record of run ${run} is damaged at commit ${commit}: ${because}. ` +
      "Point its ref back to the last whole commit, or begin a new run",
  );
