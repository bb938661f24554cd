import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { shippedExamples } from "../shipped-examples.ts";

/** A job of the catalogue, as its folder says it. */
export interface Job {
  /** The name of the folder, of the loop and of the workflow. */
  readonly name: string;
  /** What it does, in one line: the heading of its page. */
  readonly title: string;
  readonly folder: string;
  readonly workflow: string;
  readonly loop: string;
  /** The command that decides when the work is done. */
  readonly check: string;
  /** That command, and what it is in other projects; the more usual ones first. */
  readonly checks: readonly string[];
  /** What people must do before the first run, besides adding the files: the steps of its page. */
  readonly steps: readonly string[];
  /** What a run costs at most, in US dollars. */
  readonly maxCostUsd: number;
  /** The secrets that its workflow reads. */
  readonly secrets: readonly string[];
}

/** All jobs, by name. */
export const readJobs = (): readonly Job[] =>
  readdirSync(shippedExamples("jobs"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => readJob(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** One of them, by its name. */
export function readJob(name: string): Job {
  const folder = join(shippedExamples("jobs"), name);
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const [workflow, loop, page] = [read("workflow.yml"), read("loop.yml"), read("README.md")];
  const check = String(parse(/^ +until_bash: (.+)$/m.exec(loop)?.[1] ?? ""));
  return {
    name,
    folder,
    workflow,
    loop,
    title: /^# (.+)$/m.exec(page)?.[1] ?? name,
    check,
    checks: [check, ...(/^ *# Checks: (.+)$/m.exec(loop)?.[1]?.split(" | ") ?? [])],
    steps: [...page.matchAll(/^\d\. (.+(?:\n {3}.+)*)/gm)].slice(1).map(([, step = ""]) => plain(step)),
    maxCostUsd: Number(/^ +max-cost-usd: ([\d.]+)/m.exec(workflow)?.[1] ?? 0),
    secrets: [...new Set([...workflow.matchAll(/\bsecrets\.([A-Z_]+)/g)].map(([, secret = ""]) => secret))],
  };
}

/** Markdown as it is read in a terminal. */
const plain = (markdown: string) =>
  markdown
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replaceAll("`", "");
