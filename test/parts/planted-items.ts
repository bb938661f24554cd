import { execFileSync } from "node:child_process";
import { type Tree, writeCommit } from "../../src/git/objects.ts";
import { itemRun } from "../../src/ports/item.ts";
import { writeLogCommit } from "../../src/stores/git/commit-log.ts";
import type { GitHubHost } from "./github-host/host.ts";

/** How the job of one item ended. */
export type JobOutcome = "done" | "failed" | "out of budget" | "killed" | "never began" | "damaged";

interface Planted {
  readonly number: number;
  readonly outcome: JobOutcome;
  /** The changes of its work. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * Creates what many jobs with one item each would leave at the host: the record of item 1, which really ran, under
 * the name of each item and with its own work.
 */
export function plantItems(host: GitHubHost, of: string, items: readonly Planted[]): void {
  const { git, path } = host.git;
  const model = `refs/until-green/${of}/items/1`;
  const head = JSON.parse(git("show", `${model}/state:state`));
  const log = git("rev-list", "--reverse", `${model}/state`)
    .split("\n")
    .map((commit) => git("show", `${commit}:events`))
    .join("\n");
  const before = filesOf(host, "main");
  const parent = git("rev-parse", "main");
  const at = new Date().toISOString();
  const refs = items.flatMap(({ number, outcome, files }) => {
    if (outcome === "never began") return [];
    const run = itemRun({ of, number });
    const own = (text: string) => text.replaceAll(itemRun({ of, number: 1 }), run);
    const changed = Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]);
    const tree: Tree = { ...before, ...Object.fromEntries(changed) };
    const work = writeCommit(path, "sha1", { tree, parents: [parent], at, message: `work of ${run}` });
    const status = JSON.parse(own(JSON.stringify(head.status)));
    const summary = { ...status.summary, ...outcomes[outcome] };
    const lines = own(log).split("\n").filter(Boolean);
    const { id } = writeLogCommit(path, "sha1", {
      before: undefined,
      lines: outcome === "damaged" ? [] : lines,
      run: outcome === "damaged" ? `${run}0` : run,
      epoch: 1,
      nonce: run.padEnd(32, "-"),
      owner: "a job",
      at,
      work,
      artifacts: undefined,
      sessions: undefined,
      status: { ...status, summary, work },
      key: undefined,
    });
    const ref = `refs/until-green/${of}/items/${number}`;
    return [`update ${ref}/state ${id}`, `update ${ref}/work ${work}`];
  });
  execFileSync("git", ["-C", path, "update-ref", "--stdin"], { input: `${refs.join("\n")}\n` });
}

const outcomes: Readonly<Record<JobOutcome, object>> = {
  done: {},
  failed: { conclusion: "failure", stopReason: "node-failed" },
  "out of budget": { conclusion: "failure", stopReason: "budget" },
  killed: { state: "running", conclusion: undefined, stopReason: undefined },
  "never began": {},
  damaged: {},
};

/** The root tree of a commit, with unchanged folders. */
function filesOf(host: GitHubHost, commit: string): Tree {
  const rows = host.git.git("ls-tree", commit).split("\n");
  return Object.fromEntries(
    rows.map((row) => {
      const [, type, id = "", name = ""] = /^\d+ (\w+) (\w+)\t(.*)$/.exec(row) ?? [];
      return [name, type === "tree" ? id : Buffer.from(`${host.git.git("cat-file", "blob", id)}\n`)];
    }),
  );
}
