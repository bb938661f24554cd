import { nearestWord } from "../../ports/nearest-word.ts";
import { type ExitCode, exit, UsageError } from "../exit.ts";
import { print } from "../print.ts";
import { type Job, readJobs } from "./jobs.ts";

/** `until-green init --job`: the jobs of the catalogue, with one line each. */
export function listJobs(): ExitCode {
  const jobs = readJobs();
  const widest = Math.max(...jobs.map(({ name }) => name.length));
  print(jobs.map(({ name, title }) => `${name.padEnd(widest)}  ${title}\n`).join(""));
  return exit.ok;
}

/** The job with this name; throws if there is none. */
export function jobNamed(name: string): Job {
  const jobs = readJobs();
  const job = jobs.find((one) => one.name === name);
  if (job !== undefined) return job;
  const names = jobs.map((one) => one.name);
  const meant = nearestWord(name, names);
  throw new UsageError(
    `there is no job ${JSON.stringify(name)}: ${meant === undefined ? `use one of ${names.join(", ")}` : `did you mean ${meant}?`}`,
  );
}

/** What is left to do before a job runs, and what it may cost. */
export const stepsOf = ({ steps, maxCostUsd }: Job, name: string): readonly string[] => [
  ...steps,
  `git add .github && git commit -m "Add ${name}" && git push`,
  `A run costs at most $${maxCostUsd} (max-cost-usd in .github/workflows/${name}.yml)`,
];
