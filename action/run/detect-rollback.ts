import { readMarks } from "../../src/api/github.ts";
import type { LogStore, RunStatus } from "../../src/api/runs.ts";
import { openClient } from "../github/github-lifecycle.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { JobServices } from "../job/job.ts";

interface RollbackCheck {
  readonly run: string;
  readonly workflow: string;
  readonly store: LogStore;
  readonly before: RunStatus | undefined;
  readonly inputs: Inputs;
  readonly site: JobServices["site"];
}

/** Why a signed record is not trusted: it is older than what the run's comment or check has shown. */
export async function whyRolledBack({ run, store, site, ...of }: RollbackCheck): Promise<string | undefined> {
  if (site === undefined || store.hasMark === undefined) return undefined;
  const github = await openClient(of.inputs);
  if (github === undefined) return undefined;
  const { workflow, before } = of;
  const marks = await readMarks(github, {
    run: { run, workflow },
    pull: site.pull?.number ?? before?.origin?.pull,
    comment: before?.comment,
    heads: [site.head, before?.origin?.head],
  });
  const missing = () => marks.find((mark) => store.hasMark?.(run, mark) !== true);
  // A job that was still running may have published what it wrote after we read the record.
  if (missing() !== undefined) await store.read(run);
  const lost = missing();
  if (lost === undefined) return undefined;
  const ref = store.where?.(run);
  return (
    `its record is older than ${lost}, which its comment or its check shows. ` +
    `To restore it: git fetch origin ${lost} && git push --force origin ${lost}:${ref}; or start a new run`
  );
}
