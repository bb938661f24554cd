import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Args, type Place, runId } from "./kill-place.ts";
import { approve, type KillScenario, resume } from "./kill-points.ts";

const agent = (calls = "calls") =>
  `command:prompt=$(tail -n 1); echo "$UNTIL_GREEN_PATH" >> "${calls}"; mkdir -p out; echo "$prompt" > "out/$(echo "$prompt" | tr " " "-")"; echo "did $prompt"`;
const run = (more: Args = ["--isolation", "off"], by = agent()): Args => [
  ...["run", "w.yml", "--agent", by, "--run-id", runId],
  ...more,
];

const bash = "echo $UNTIL_GREEN_PATH >> calls; mkdir -p out; echo plan > out/plan";
const loop = `- { id: fix, loop: { prompt: "fix $LOOP_ITERATION", until_bash: test -e out/fix-2, max_iterations: 4 } }`;
const gated = `name: kills
interactive: true
nodes:
  - { id: plan, bash: '${bash}' }
  - { id: look, depends_on: [plan], approval: { message: ok } }
  ${loop.replace("id: fix,", "id: fix, depends_on: [look],")}
`;
/** Kills its first process in its first node. */
const stopped = `name: kills
nodes:
  - { id: plan, bash: '${bash}; test -e .git/stopped || { touch .git/stopped; kill -9 $PPID; sleep 1; }' }
  ${loop.replace("id: fix,", "id: fix, depends_on: [plan],")}
`;
const wide = `name: kills
nodes:
  - { id: left, prompt: left }
  - { id: right, prompt: right }
  - { id: each, depends_on: [left, right], loop: { for_each: [one, two], prompt: "item $LOOP_ITEM", isolation: worktree, max_concurrency: 2 } }
`;
const walled = `name: kills
nodes:
  - { id: fix, loop: { prompt: "fix $LOOP_ITERATION", until_bash: bash test.sh, protect: [test.sh], max_iterations: 4 } }
`;
const plain = `name: kills\nnodes:\n  ${loop}\n`;

/** A decision on a gate that ends the run. */
const ending = (name: string, killed: Args): KillScenario => ({
  name,
  workflow: gated,
  before: [run()],
  killed,
  after: (last) => (last === "run.ended" ? undefined : killed),
  isAside: true,
});

const runWalled = run([]);
const tell: Args = ["tell", runId, "fix", "mind the gap"];
const prune: Args = ["list", "--prune", "0.000001"];
const repair: Args = ["repair", runId];

/** Commands that are killed at each of their steps. */
export const killScenarios: readonly KillScenario[] = [
  { name: "run", workflow: plain, killed: run() },
  { name: "run of parallel nodes and items", workflow: wide, killed: run(undefined, agent("$HOME/calls")) },
  {
    name: "run behind walls",
    workflow: walled,
    files: { "test.sh": "test -e out/fix-2\n", "AGENTS.md": "Be kind\n" },
    killed: runWalled,
    after(last) {
      if (last === "run.ended") return undefined;
      return last === undefined ? runWalled : ["resume", runId];
    },
  },
  { name: "run to a gate", workflow: gated, killed: run() },
  { name: "approve", workflow: gated, before: [run()], killed: approve },
  { name: "resume", workflow: stopped, before: [run()], killed: resume },
  {
    name: "tell",
    workflow: gated,
    before: [run()],
    killed: tell,
    after(last, typed) {
      if (last === "run.ended") return undefined;
      return typed === 0 ? tell : approve;
    },
  },
  ending("cancel", ["cancel", runId]),
  ending("reject", ["reject", runId, "no"]),
  {
    name: "list --prune",
    workflow: plain,
    before: [run()],
    killed: prune,
    after: (_, typed) => (typed === 0 ? prune : undefined),
    isAside: true,
  },
  {
    name: "repair",
    workflow: plain,
    before: [run()],
    prepare: damage,
    killed: repair,
    after(last, typed) {
      if (typed === 0) return repair;
      return last === "run.ended" ? undefined : resume;
    },
    stores: ["dir"],
  },
];

/** Changes a byte in the last line of a log. */
function damage({ checkout }: Place): void {
  const path = join(checkout, ".git/until-green/runs", runId, "log.jsonl");
  writeFileSync(path, readFileSync(path, "utf8").replace(/run\.ended(?=[^\n]*\n$)/, "run.enden"));
}
