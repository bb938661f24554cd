import { readMarks } from "../../src/api/github.ts";
import type { LogStore, RunStatus } from "../../src/api/runs.ts";
import { openClient } from "../github/github-lifecycle.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { conversationIn } from "../job/github-context.ts";
import { type JobServices, RefusedError } from "../job/job.ts";

interface Resumed {
  readonly run: string;
  readonly workflow: string;
  readonly store: LogStore;
  readonly before: RunStatus | undefined;
  readonly inputs: Inputs;
  readonly site: JobServices["site"];
}

/** Refuses a signed record that is older than what the run's comment or check has shown of it. */
export async function refuseMovedBack({ run, store, site, ...of }: Resumed): Promise<void> {
  if (site === undefined || store.mark?.(run) === undefined) return;
  const github = await openClient(of.inputs);
  if (github === undefined) return;
  const { workflow, before } = of;
  const shown = {
    run: { run, workflow },
    pull: conversationIn(site),
    comment: before?.comment,
    head: site.head,
  };
  const marks = await readMarks(github, shown);
  const missing = () => marks.find((mark) => store.hasMark?.(run, mark) !== true);
  // A job that was still running may have shown what it wrote after we had read.
  if (missing() !== undefined) await store.read(run);
  const lost = missing();
  if (lost === undefined) return;
  const ref = store.where?.(run);
  throw new RefusedError(
    `run ${run} was not resumed: its record is older than ${lost}, which its comment or its check shows. ` +
      `To restore it: git fetch origin ${lost} && git push --force origin ${lost}:${ref}; or start a new run`,
  );
}
