import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Environment } from "../../src/api/runs.ts";

const repo = z.lazy(() => z.object({ full_name: z.string() }));
const side = z.lazy(() => z.object({ ref: z.string(), sha: z.string(), repo: repo.nullish() }));

const numberText = z.lazy(() =>
  z
    .string()
    .regex(/^[1-9]\d{0,9}$/)
    .transform(Number)
    .optional()
    .catch(undefined),
);

/** The fields of the event that we read. A field of unknown shape counts as absent. */
const event = z.lazy(() =>
  z.object({
    action: z.string().optional().catch(undefined),
    pull_request: z
      .object({
        number: z.int(),
        state: z.string().optional(),
        merged: z.boolean().nullish(),
        head: side.optional(),
        base: side.optional(),
      })
      .optional()
      .catch(undefined),
    issue: z.object({ number: z.int(), pull_request: z.unknown().optional() }).optional().catch(undefined),
    sender: z.object({ login: z.string() }).optional().catch(undefined),
    workflow_run: z
      .object({
        head_sha: z.string(),
        conclusion: z.string().nullish(),
        head_branch: z.string().nullish(),
        head_repository: repo.nullish(),
        pull_requests: z.array(z.object({ number: z.int() })).default([]),
      })
      .optional()
      .catch(undefined),
    check_run: z
      .object({
        head_sha: z.string(),
        conclusion: z.string().nullish(),
        pull_requests: z.array(z.object({ number: z.int() })).default([]),
      })
      .optional()
      .catch(undefined),
    review: z.object({ state: z.string() }).optional().catch(undefined),
    comment: z.object({ pull_request_review_id: z.int().nullish() }).optional().catch(undefined),
    check_suite: z.object({ head_branch: z.string().nullish() }).optional().catch(undefined),
    /** For a dispatched workflow. */
    inputs: z
      .object({
        pull: numberText,
        issue: numberText,
      })
      .nullish()
      .catch(undefined),
    repository: z
      .object({ default_branch: z.string(), private: z.boolean().optional() })
      .optional()
      .catch(undefined),
  }),
);

export type JobEvent = z.infer<typeof event>;

/** The event that started this job, from the host's file; `undefined` if there is none. */
export function loadEvent({ GITHUB_EVENT_PATH: path }: Environment): unknown {
  try {
    return path ? JSON.parse(readFileSync(path, "utf8")) : undefined;
  } catch {
    return undefined;
  }
}

/** The fields of a job's event that we know. */
export const readJobEvent = (job: { readonly event: unknown }): JobEvent =>
  event.safeParse(job.event).data ?? {};
