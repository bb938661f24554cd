import { parse } from "yaml";
import { readJobs } from "../../src/cli/init/jobs.ts";
import { code, table } from "./markdown.ts";

/** The jobs of the catalogue. */
const rows = () =>
  readJobs().map(({ name, title, workflow, check, maxCostUsd }) => {
    const { on } = parse(workflow) as { on: Readonly<Record<string, unknown>> };
    return [`[${name}](${name})`, title, Object.keys(on).map(code).join(", "), code(check), `$${maxCostUsd}`];
  });

/** All that is worth knowing to choose one. */
export const jobTable = (): string =>
  table(["Job", "What it does", "Starts on", "Done when", "At most"], rows());
