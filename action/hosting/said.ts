import { z } from "zod";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";

/** The message of a run that a comment began: only the comment's id reached this job, so it is read again, and proved. */
export async function messageSaid(inputs: Inputs, job: Job): Promise<{ readonly message?: string }> {
  const read = woken.safeParse(job.event);
  if (!read.success || inputs.message !== undefined || inputs.workflow !== read.data.inputs.workflow)
    return {};
  const { "comment-id": id, sha256, workflow } = read.data.inputs;
  const [{ siteOf }, { messageOf }] = await Promise.all([
    import("./app-site.ts"),
    import("../../app/proof.ts"),
  ]);
  const site = siteOf(inputs, job);
  if (site === undefined)
    throw new RefusedError("a comment began this run, and reading it needs `github-token`");
  const said = await messageOf(site, { workflow, comment: { id: Number(id), sha256 } });
  if ("doubt" in said) throw new RefusedError(`what the comment said does not stand: ${said.doubt}`);
  return said.message === "" ? {} : { message: said.message };
}

const woken = z.object({
  inputs: z.object({
    "comment-id": z.string().regex(/^\d{1,15}$/),
    sha256: z.string(),
    workflow: z.string(),
  }),
});
