import { createHash } from "node:crypto";
import { z } from "zod";
import { git } from "../../git/git.ts";
import { type ObjectFormat, readObjects, type Tree, writeCommit } from "../../git/objects.ts";
import { defined } from "../../ports/defined.ts";
import type { Json } from "../../ports/json.ts";
import { BrokenLogError } from "../../ports/store.ts";
import { eventsIn, openState, protectEvents, protectState } from "./private-parts.ts";
import { OtherNameError, type StateKey, signatureFault } from "./sign.ts";

/** The content of the file `state` in each commit of a run's chain. */
const headSchema = z.object({
  /** 2 if prompts and outputs are encrypted. */
  v: z.literal([1, 2]),
  run: z.string(),
  /** The position in the chain, from 1. */
  seq: z.int().positive(),
  /** Incremented by each process that takes over the run. */
  epoch: z.int().nonnegative(),
  /** Random, so that two writers never create the same commit. */
  nonce: z.string().min(16),
  owner: z.string(),
  /** When the run started, in ISO 8601. */
  started: z.string(),
  /** Number of lines in the log, including this commit's. */
  lines: z.int().nonnegative(),
  /** The checksum of all lines so far. */
  digest: z.string(),
  /** The workspace snapshot that belongs to these lines. */
  work: z.string().exactOptional(),
  /** The tree of the run's small files. */
  artifacts: z.string().exactOptional(),
  /** The tree with the agents' session files. */
  sessions: z.string().exactOptional(),
  /** The run status, for readers that read nothing else. */
  status: z.unknown().optional(),
});

export type LogHead = z.infer<typeof headSchema>;

/** One commit of the chain, with the lines it adds. */
export interface LogCommit {
  readonly id: string;
  readonly head: LogHead;
  readonly lines: readonly string[];
}

export interface Step {
  readonly before: LogCommit | undefined;
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
  readonly status: Json | undefined;
  /** The key that signs and encrypts it. */
  readonly key: StateKey | undefined;
}

/** Writes the commit that appends lines to a chain. */
export function writeLogCommit(gitDir: string, format: ObjectFormat, step: Step): LogCommit {
  const { before, lines, run, epoch, nonce, owner, at, key } = step;
  const { work, artifacts, sessions, status } = step;
  const events = protectEvents(lines, run, key);
  const head: LogHead = {
    v: key === undefined ? 1 : 2,
    run,
    seq: (before?.head.seq ?? 0) + 1,
    epoch,
    nonce,
    owner,
    started: before?.head.started ?? at,
    lines: (before?.head.lines ?? 0) + lines.length,
    digest: digestOf(before?.head.digest, events),
    ...defined({ work, artifacts, sessions, status }),
  };
  const tree: Tree = {
    state: Buffer.from(`${JSON.stringify(protectState(head, key), undefined, 2)}\n`),
    events,
    ...defined({ artifacts, sessions }),
  };
  const message = `${run}: ${head.seq}\n\n${nonce}`;
  return {
    id: writeCommit(gitDir, format, { tree, parents: before === undefined ? [] : [before.id], at, message }),
    head,
    lines,
  };
}

/** Reads and verifies the commits from after `before` to `tip`, oldest first; throws `BrokenLogError`. */
export async function readLogCommits(
  gitDir: string,
  run: string,
  {
    before,
    tip,
    key,
  }: { readonly before: LogCommit | undefined; readonly tip: string; readonly key?: StateKey | undefined },
): Promise<readonly LogCommit[]> {
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
  const links: LogCommit[] = [];
  for (const [index, line] of commits.entries()) {
    const [id = "", ...parents] = line.split(" ");
    const last = links.at(-1) ?? before;
    if (parents.join() !== (last?.id ?? "")) {
      throw broken(run, id, last === undefined ? "it does not begin there" : `it does not follow ${last.id}`);
    }
    links.push(
      verifyLogCommit({ run, id, last, key, state: files[index * 2], events: files[index * 2 + 1] }),
    );
  }
  const newest = links.at(-1) ?? before;
  if (newest?.id !== tip)
    throw broken(run, tip, newest === undefined ? "it is no commit" : `it does not follow ${newest.id}`);
  return links;
}

/** Reads the state in one commit, without verifying the chain. Without the right key, private parts are left out. */
export function readHead(state: Buffer | undefined, key: StateKey | undefined): LogHead | undefined {
  try {
    return headSchema.parse(openState(JSON.parse(state?.toString("utf8") ?? ""), key, "leave out"));
  } catch {
    return undefined;
  }
}

interface Claimed {
  readonly run: string;
  readonly id: string;
  readonly last: LogCommit | undefined;
  readonly state: Buffer | undefined;
  readonly events: Buffer | undefined;
  readonly key: StateKey | undefined;
}

/** Only jobs and the app can ask GitHub about former names. */
const renamed =
  ". If the repository was renamed, correct the address of the remote (`git remote set-url`); " +
  "a run from before is answered and resumed on GitHub only, by a comment or a job";

export const notOfARun = "its files are not those of a run";

/** Reads one commit of a chain from its two files, verified against the commit before; throws `BrokenLogError`. */
export function verifyLogCommit({ run, id, last, state, events, key }: Claimed): LogCommit {
  const newer = /^\s*\{\s*"v":\s*([0-9]+)/.exec(state?.toString("latin1", 0, 64) ?? "")?.[1];
  if (Number(newer) > 2) throw broken(run, id, "it was written by a newer until-green; use that one");
  const head = readHead(state, key);
  if (head === undefined || events === undefined) throw broken(run, id, notOfARun);
  // Throws if it was written with another key: then the key is missing here, and the record is not damaged.
  const lines = eventsIn(events.toString("utf8"), run, key);
  const unsigned = key && signatureFault(JSON.parse(String(state)), key);
  if (unsigned?.signedFor !== undefined)
    throw new OtherNameError(
      `the record of run ${run} is refused: ${unsigned.because}${key?.wasCalled === undefined ? renamed : ""}`,
      unsigned.signedFor,
    );
  if (unsigned !== undefined) throw broken(run, id, unsigned.because);
  if (lines === undefined) throw broken(run, id, "its events are cut off");
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

/** The checksum of a chain's lines, computed from the checksum before and the new lines as stored. */
export const digestOf = (before: string | undefined, events: Buffer) =>
  createHash("sha256")
    .update(before ?? "")
    .update("\n")
    .update(events)
    .digest("hex");

export const broken = (run: string, commit: string, because: string) =>
  new BrokenLogError(
    `the record of run ${run} is damaged at commit ${commit}: ${because}. ` +
      "Point its ref back to the last intact commit, or start a new run",
  );
