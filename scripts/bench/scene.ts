import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentNames } from "../../src/agents/index.ts";
import { compile } from "../../src/compile/compile.ts";
import type { RunSettings } from "../../src/engine/log-events.ts";
import type { RunSession } from "../../src/engine/session.ts";
import { systemClock } from "../../src/local/clock.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { Agent } from "../../src/ports/agent.ts";
import type { LogStore } from "../../src/ports/store.ts";
import type { Workspace } from "../../src/ports/workspace.ts";
import { scriptRunner } from "../../src/processes/script.ts";
import { bashShell } from "../../src/processes/shell.ts";
import { start } from "../../src/runner/run.ts";
import { readFileIn } from "../../src/workspace/read-file.ts";

export interface Scene {
  readonly plan: Plan;
  readonly store: LogStore;
  readonly workspace: string;
  readonly agent?: Agent;
  readonly gitWorkspace?: Workspace;
}

/** Runs a plan with this machine's clock, shell and files; emits to nobody. */
export async function play({
  plan,
  store,
  workspace,
  agent = still,
  gitWorkspace,
}: Scene): Promise<RunSession> {
  const facts = { ...factsOf(await store.artifacts(runId)), snapshots: gitWorkspace !== undefined };
  const session = await start(
    { plan, facts },
    {
      store,
      workspace,
      gitWorkspace,
      readFile: readFileIn,
      clock: systemClock,
      agent: () => agent,
      shell: bashShell(process.env),
      script: scriptRunner(process.env),
      owner: "the bench",
      secrets: [],
      clearOrphans: () => {},
      emit: () => {},
    },
  );
  if (!session.ended) throw new Error("the run did not come to its end");
  return session;
}

const runId = "bench-run";

export const factsOf = (artifacts: string): RunSettings => ({
  run: runId,
  message: "",
  inputs: {},
  artifacts,
  base_branch: "main",
  docs_dir: "docs/",
  snapshots: false,
  warnings: [],
  limits: {},
});

/** Compiles a workflow given as a value. */
export function planOf(workflow: unknown): Plan {
  const source = { text: JSON.stringify(workflow), file: "bench.yml", value: workflow };
  const compiled = compile(source, {
    agents: agentNames,
    command: () => undefined,
    workflow: () => undefined,
  });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map(({ message }) => message).join("\n"));
  return compiled.plan;
}

/** A loop that never gets its signal. */
export const endless = (iterations: number, stop: Readonly<Record<string, unknown>>): Plan =>
  planOf({
    name: "endless",
    nodes: [
      {
        id: "fix",
        loop: {
          prompt: "Round $LOOP_ITERATION: fix it.",
          max_iterations: iterations,
          on_max: "succeed",
          ...stop,
        },
      },
    ],
  });

/** Answers immediately, like a model that has looked at the tests and goes on. */
const still: Agent = {
  name: "still",
  answer: async ({ iteration }) => ({
    text: `I looked at test ${iteration}. It still fails, so there is more to do.`,
    session: "one",
    usage: { input_tokens: 900, output_tokens: 40, cost_usd: 0.01 },
  }),
};

/** Works in an empty folder, which is removed afterwards. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "until-green-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
