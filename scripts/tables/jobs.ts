import { parse } from "yaml";
import { readJobs } from "../../src/cli/init/jobs.ts";
import { code, table } from "./markdown.ts";

/** The jobs of the catalogue. */
const rows = () =>
  readJobs().map(({ name, title, workflow, check, maxCostUsd }) => {
    const { on } = parse(workflow) as { on: Readonly<Record<string, unknown>> };
    return [`[${name}](${name})`, title, Object.keys(on).map(code).join(", "), code(check), `$${maxCostUsd}`];
  });

/** The same for a page that must be short: what each does. */
export const jobList = (): string =>
  [
    "Job | What it does",
    "--- | ---",
    ...readJobs().map(({ name, title }) => `[${name}](examples/jobs/${name}) | ${title}`),
  ].join("\n");

/** All that is worth knowing to choose one. */
export const jobTable = (): string =>
  table(["Job", "What it does", "Starts on", "Done when", "At most"], rows());
