import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { stage } from "./stage.ts";

export interface Trials {
  /** The share of green trials. */
  readonly green: number;
  /** Maximum calls of a run beyond its budget. */
  readonly overdrawn: number;
  /** The time of each trial, in milliseconds. */
  readonly took: readonly number[];
}

interface TrialOptions {
  readonly attempts: number;
  /** The probability that a single attempt succeeds. */
  readonly p: number;
  readonly trials: number;
  /** The budget of each run; a call costs one dollar. */
  readonly maxUsd?: number;
  /** Duration of a call in milliseconds; default 0. */
  readonly callMs?: number;
}

const workflow = (attempts: number) => `
name: t
nodes:
  - id: fix
    agent: claude
    loop:
      prompt: go
      until_bash: npm test
      max_iterations: 1
      ${attempts === 1 ? "" : `attempts: ${attempts}\n      max_concurrency: ${attempts}`}
`;

/** Runs a loop with several attempts many times; its number and the trial's decide whether an attempt succeeds. */
export async function attemptTrials(options: TrialOptions): Promise<Trials> {
  const { attempts, p, trials, maxUsd, callMs = 0 } = options;
  const took: number[] = [];
  let green = 0;
  let overdrawn = 0;
  for (let trial = 0; trial < trials; trial += 1) {
    const it = stage(workflow(attempts), {
      facts: { limits: maxUsd === undefined ? {} : { usd: maxUsd } },
      async agent() {
        await sleep(callMs);
        return { text: "tried", usage: { input_tokens: 1, output_tokens: 1, cost_usd: 1 } };
      },
      workspace(request) {
        if (request.op === "fork") return { path: `/forks/${request.name}`, commit: "base" };
        if (request.op === "snapshot") return { commit: "now", tree: "tree" };
        if (request.op !== "close") return {};
        const diff = { files: 1, added: 1, removed: 0, paths: ["x"] };
        return { commit: `end-${request.name}`, tree: "tree", diff };
      },
      shell({ clean, role }, _, { workspace }) {
        if (clean !== undefined || role !== "check") return 0;
        return draw(`${trial} ${/fix-\d+/.exec(workspace)?.[0]}`) < p ? 0 : 1;
      },
    });
    const before = performance.now();
    await it.begin();
    took.push(performance.now() - before);
    const end = it.end();
    if (end?.conclusion === "success") green += 1;
    if (maxUsd !== undefined) overdrawn = Math.max(overdrawn, (end?.usage.cost_usd ?? 0) - maxUsd);
  }
  return { green: green / trials, overdrawn, took };
}

/** A number from 0 to 1, derived from a text. */
const draw = (text: string) => createHash("sha256").update(text).digest().readUInt32BE() / 2 ** 32;
