import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { scalar, step, texts } from "./action.ts";
import { holds, interpolateAll, type Sight } from "./expression.ts";
import type { Annotation } from "./job.ts";
import { type CompositeRun, jobFor } from "./run-composite.ts";
import { finishJob, runEach } from "./steps.ts";

const job = z.object({
  needs: z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]),
  if: scalar.optional(),
  env: texts,
  outputs: texts,
  strategy: z.object({ matrix: z.unknown() }).optional(),
  steps: z.array(step),
});

const workflow = z.object({ env: texts, jobs: z.record(z.string(), job) });

type Job = z.infer<typeof job>;

export interface WorkflowRun extends Pick<CompositeRun, "env" | "github" | "stubs"> {
  readonly file: string;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
}

export interface JobResult {
  /** GitHub's name of the job: `loop`, or `loop (a)` in a matrix. */
  readonly name: string;
  readonly result: "success" | "failure" | "skipped";
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly annotations: readonly Annotation[];
  readonly log: readonly string[];
}

/** Runs the jobs of a workflow one after the other, each in its own empty folder; triggers are ignored. */
export async function runWorkflow(run: WorkflowRun): Promise<readonly JobResult[]> {
  const { jobs, env } = workflow.parse(parse(readFileSync(run.file, "utf8")));
  const done: JobResult[] = [];
  const needs: Record<string, { readonly result: string; readonly outputs: unknown }> = {};
  for (const [id, one] of inOrder(jobs)) {
    const needed = Object.fromEntries(one.needs.map((name) => [name, needs[name]]));
    const ok = one.needs.every((name) => needs[name]?.result === "success");
    // The repository has no variables.
    const outer = { github: { event: {}, ...run.github }, inputs: run.inputs ?? {}, needs: needed, vars: {} };
    const sight: Sight = { ok, contexts: outer };
    const results = holds(one.if, sight)
      ? await runMatrix({ id, one, run, contexts: { ...outer, secrets: run.secrets ?? {} }, env })
      : [skipped(id)];
    done.push(...results);
    needs[id] = {
      result: resultOf(results),
      outputs: Object.assign({}, ...results.map((each) => each.outputs)),
    };
  }
  return done;
}

const skipped = (name: string): JobResult => ({
  ...{ name, result: "skipped", outputs: {}, summary: "", annotations: [], log: [] },
});

const resultOf = (results: readonly JobResult[]) =>
  (["failure", "success"] as const).find((word) => results.some(({ result }) => result === word)) ??
  "skipped";

function inOrder(jobs: Readonly<Record<string, Job>>): readonly (readonly [string, Job])[] {
  const waiting = new Map(Object.entries(jobs));
  const order: (readonly [string, Job])[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting].filter(([, { needs }]) => needs.every((name) => !waiting.has(name)));
    if (ready.length === 0) throw new Error("jobs wait for each other");
    for (const [id, one] of ready) {
      order.push([id, one]);
      waiting.delete(id);
    }
  }
  return order;
}

interface Started {
  readonly id: string;
  readonly one: Job;
  readonly run: WorkflowRun;
  readonly contexts: Sight["contexts"];
  readonly env: Readonly<Record<string, string>>;
}

async function runMatrix(started: Started): Promise<readonly JobResult[]> {
  const { one, id, contexts } = started;
  const results: JobResult[] = [];
  for (const matrix of combinations(one.strategy?.matrix, { ok: true, contexts })) {
    const name = matrix === undefined ? id : `${id} (${Object.values(matrix).join(", ")})`;
    results.push(await runJob(name, { ...started, contexts: { ...contexts, matrix: matrix ?? {} } }));
  }
  return results;
}

type Matrix = Readonly<Record<string, unknown>>;

/** A matrix with lists, literal or computed. `include` and `exclude` are not supported, because nothing uses them. */
function combinations(matrix: unknown, sight: Sight): readonly (Matrix | undefined)[] {
  if (matrix === undefined) return [undefined];
  const axes = Object.entries(matrix as Record<string, unknown>).map(([name, values]) => {
    const list =
      typeof values === "string"
        ? JSON.parse(interpolateAll({ values: jsonOf(values) }, sight).values ?? "")
        : values;
    return (list as readonly unknown[]).map((value) => ({ [name]: value }));
  });
  return axes.reduce<readonly Matrix[]>(
    (all, axis) => all.flatMap((before) => axis.map((one) => ({ ...before, ...one }))),
    [{}],
  );
}

/** An expression that must be a list, as JSON. */
const jsonOf = (text: string) => text.replace(/\$\{\{(.*)\}\}/s, "${{ toJSON($1) }}");

async function runJob(name: string, { one, run, contexts, env }: Started): Promise<JobResult> {
  const root = await mkdtemp(join(tmpdir(), "workflow-"));
  try {
    const [workspace, temp] = [join(root, "workspace"), join(root, "temp")];
    for (const folder of [workspace, temp]) await mkdir(folder);
    const github = { ...run.github, job: name.replace(/ .*/, "") };
    const open = await jobFor({ ...run, github, workspace }, temp);
    const inner = { ...contexts, github: open.github };
    Object.assign(open.env, interpolateAll({ ...env, ...one.env }, { ok: true, contexts: inner }));
    const { ok, sight } = await runEach(open, one.steps, { dir: "", contexts: inner });
    await finishJob(open);
    const { annotations, log } = open;
    const outputs = interpolateAll(one.outputs, { ...sight, ok: true });
    return {
      name,
      result: ok ? "success" : "failure",
      outputs,
      summary: open.masked(open.summary),
      annotations,
      log,
    };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
