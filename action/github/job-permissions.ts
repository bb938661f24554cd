import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import type { Job } from "../job/job.ts";
import { workflowOf } from "../job/run-origin.ts";

const permissions = z.union([z.string(), z.record(z.string(), z.string())]).optional();
const file = z.object({
  permissions,
  jobs: z.record(z.string(), z.object({ permissions, uses: z.string().optional() })),
});

/**
 * True if this job's workflow file grants its token no write access; false if the file does not set permissions. The
 * job may still use another token.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#permissions
 */
export async function lacksWrite({ env, workspace }: Job): Promise<(permission: string) => boolean> {
  const path = workflowOf(env);
  const text = path === undefined ? undefined : await readFile(join(workspace, path), "utf8").catch(() => {});
  const read = file.safeParse(yamlIn(text ?? ""));
  const job = read.data?.jobs[env["GITHUB_JOB"] ?? ""];
  // For a reusable workflow, only its own file could tell more.
  const granted =
    job === undefined || job.uses !== undefined ? undefined : (job.permissions ?? read.data?.permissions);
  if (granted === undefined) return () => false;
  if (typeof granted === "string") return () => granted !== "write-all";
  return (permission) => granted[permission] !== "write";
}

function yamlIn(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
