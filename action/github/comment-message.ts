import { z } from "zod";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";

/**
 * The message of a run started by a comment. The job received only the comment's id, so the comment is read again and
 * verified.
 */
export async function messageFromComment(inputs: Inputs, job: Job): Promise<{ readonly message?: string }> {
  const read = dispatchedEvent.safeParse(job.event);
  if (!read.success || inputs.message !== undefined || inputs.workflow !== read.data.inputs.workflow)
    return {};
  const { "comment-id": id, sha256, workflow } = read.data.inputs;
  const { siteOf, verifyStartMessage } = await import("./issue-ops.ts");
  const site = siteOf(inputs, job);
  if (site === undefined)
    throw new RefusedError("a comment started this run, and reading it requires `github-token`");
  const verified = await verifyStartMessage(site, { workflow, comment: { id: Number(id), sha256 } });
  if ("doubt" in verified) throw new RefusedError(`the comment cannot be verified: ${verified.doubt}`);
  return verified.message === "" ? {} : { message: verified.message };
}

const dispatchedEvent = z.object({
  inputs: z.object({
    "comment-id": z.string().regex(/^\d{1,15}$/),
    sha256: z.string(),
    workflow: z.string(),
  }),
});
