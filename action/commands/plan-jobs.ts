import { z } from "zod";
import { inlineCode, inMarkdown } from "../../src/api/github.ts";
import { findPackages, PackagesError } from "../../src/api/publishing.ts";
import type { Json } from "../../src/api/runs.ts";
import {
  fillInputs,
  itemsIn,
  jsonOrText,
  mostJobs,
  readSource,
  type SpreadJob,
  type SpreadLoop,
  spreadItems,
  spreadLoop,
} from "../../src/api/workflows.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { annotation, few } from "../job/workflow-commands.ts";
import type { StepResult } from "../result/step-result.ts";
import { compileSource, invalid, workflowOf } from "./run-workflow.ts";

/** GitHub limits the outputs of a job to one mebibyte. */
const mostOutput = 1_000_000;

/** `command: plan`: splits the list of a loop with `spread: jobs` into matrices of jobs; runs nothing. */
export async function planJobs(inputs: Inputs, cwd: string, job: Job): Promise<StepResult> {
  const compiled = await compileSource(workflowOf(inputs.workflow ?? "", cwd, job), cwd, job);
  if (!compiled.ok) return invalid(compiled.diagnostics);
  const { plan } = compiled;
  const loop = spreadLoop(plan);
  if (loop === undefined)
    throw new RefusedError(
      `${plan.name} has no loop that is spread over jobs: set \`spread: jobs\` on the loop over its list`,
    );
  const { inputs: given } = fillInputs(plan, inputs.inputs);
  const { list, since } = inputs;
  const items = await listFor(loop, { list, since, items: given[loop.input], cwd }, job);
  const matrices = spreadItems(items, loop.batch);
  const jobs = matrices.flat();
  if (jobs.length > mostJobs.run)
    throw new RefusedError(
      `${items.length} items in jobs of ${loop.batch} need ${jobs.length} jobs, but a run has at most ${mostJobs.run}: set a larger \`batch\``,
    );
  const entry = ({ number, items: part }: SpreadJob) => ({
    number,
    inputs: { ...inputs.inputs, [loop.input]: JSON.stringify(part) },
  });
  const text = JSON.stringify(matrices.map((matrix) => matrix.map(entry)));
  if (Buffer.byteLength(text) > mostOutput)
    throw new RefusedError(
      `the list takes ${Buffer.byteLength(text)} bytes in the outputs, but GitHub allows ${mostOutput} per job: use shorter names for the items, such as numbers of lines in a file`,
    );
  const isIdle = jobs.length === 0;
  return {
    conclusion: isIdle ? "skipped" : "success",
    stopReason: isIdle ? "nothing-to-do" : "completed",
    page: pageOf(plan.name, jobs, items.length),
    annotations: repeated(items),
    outputs: {
      "run-id": inputs["run-id"] ?? runIdOf(plan.name, job),
      matrices: text,
      jobs: String(jobs.length),
      "max-parallel": String(loop.maxParallel ?? mostJobs.matrix),
      "shared-budget": sharedBy(inputs, jobs.length),
      "max-cost-usd": share(inputs["max-cost-usd"], jobs.length, 1e6),
      "max-tokens": share(inputs["max-tokens"], jobs.length, 1),
    },
  };
}

/** A repeated item would be processed and paid for twice. */
function repeated(items: readonly Json[]): StepResult["annotations"] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const item of items.map((one) => JSON.stringify(one))) (seen.has(item) ? twice : seen).add(item);
  if (twice.size === 0) return [];
  const message = `the list contains items more than once, and works on each of them: ${few([...twice])}`;
  return [annotation("warning", message, "repeated items")];
}

/** One job's part of a limit for all jobs, rounded down so that the sum never exceeds it; empty without a limit. */
function share(cap: number | undefined, jobs: number, units: number): string {
  if (cap === undefined || jobs === 0) return "";
  const part = Math.floor((cap * units) / jobs) / units;
  if (part > 0) return String(part);
  throw new RefusedError(
    `a budget of ${cap} is too small for ${jobs} jobs: raise it, or set a larger \`batch\``,
  );
}

/** The limits of all jobs together. */
function sharedBy({ "max-cost-usd": usd, "max-tokens": tokens }: Inputs, jobs: number): string {
  if (jobs === 0 || (usd === undefined && tokens === undefined)) return "";
  return JSON.stringify({ jobs, usd, tokens });
}

interface ListSource {
  readonly list: string | undefined;
  readonly since: string | undefined;
  /** The input's value, or its default. */
  readonly items: string | undefined;
  readonly cwd: string;
}

/** The items: packages, the entries of a file, or those of the input. */
async function listFor(
  { input }: SpreadLoop,
  { list, since, items, cwd }: ListSource,
  job: Job,
): Promise<readonly Json[]> {
  const file = /^file:(.+)$/.exec(list ?? "")?.[1];
  if (file !== undefined) return listInFile(readSource(job.within(file, cwd), cwd).text);
  if (list !== undefined) return await packagesOf(cwd, list === "packages" ? undefined : (since ?? "HEAD^"));
  if (items !== undefined) return itemsOf(items);
  throw new RefusedError(
    `the list is missing: pass it in \`inputs\`, for example {"${input}": ["a", "b"]}, or set \`list\` to its source`,
  );
}

/** A JSON list, one item per line, or the output of `turbo ls --output json`. */
function listInFile(text: string): readonly Json[] {
  const turbo = turboList.safeParse(jsonOrText(text));
  return turbo.success ? turbo.data.packages.items.map(({ path }) => path) : itemsOf(text);
}

/** Throws for JSON that is not a list: otherwise each of its lines would become an item with a job. */
function itemsOf(text: string): readonly Json[] {
  const value = jsonOrText(text);
  const items = itemsIn(text);
  const isMeantAsJson = /^(?:\[\s*(?:["{[\d]|$)|\{\s*(?:["}]|$))/.test(text.trim().split("\n")[0] ?? "");
  if (Array.isArray(value) || !isMeantAsJson) return items;
  // The output format of `yarn workspaces list --json`.
  const isOnePerLine = items.every((line) => typeof line === "string" && isFlat(jsonOrText(line)));
  if (isOnePerLine) return items;
  throw new RefusedError(
    typeof value === "string"
      ? "the list starts like JSON but is not valid JSON: check that its file is complete"
      : "the list is a JSON object, not a list: pass the list inside it, for example with `jq .packages`",
  );
}

const isFlat = (value: Json) =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((part) => typeof part !== "object");

const turboList = z.object({ packages: z.object({ items: z.array(z.object({ path: z.string() })) }) });

async function packagesOf(cwd: string, since: string | undefined): Promise<readonly string[]> {
  try {
    return await findPackages(cwd, since);
  } catch (error) {
    throw error instanceof PackagesError ? new RefusedError(error.message) : error;
  }
}

/** One id per attempt of the workflow run, so that re-running all jobs starts over. */
function runIdOf(workflow: string, job: Job): string {
  const slug = workflow
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 30)
    .replace(/^-+|-+$/g, "");
  const { GITHUB_RUN_ID: run = "0", GITHUB_RUN_ATTEMPT: attempt = "1" } = job.env;
  return `${slug || "spread"}-${run}-${attempt}`;
}

const numberOf = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

function pageOf(workflow: string, jobs: readonly SpreadJob[], count: number): string {
  const rows = jobs.slice(0, 1_000).map(({ number, items }) => {
    const shown = items
      .slice(0, 10)
      .map((item) => inlineCode(typeof item === "string" ? item : JSON.stringify(item)));
    const more = items.length > 10 ? ` and ${items.length - 10} more` : "";
    return `| ${number} | ${shown.join(", ")}${more} |`;
  });
  const head = `### ${inMarkdown(workflow)}: ${numberOf(count, "item")} in ${numberOf(jobs.length, "job")}`;
  return [head, ["| job | items |", "| --: | --- |", ...rows].join("\n")].join("\n\n");
}
