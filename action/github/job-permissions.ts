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
export async function lacksWrite(job: Job): Promise<(permission: string) => boolean> {
  const granted = await grantedTo(job);
  if (granted === undefined) return () => false;
  if (typeof granted === "string") return () => granted !== "write-all";
  return (permission) => granted[permission] !== "write";
}

/** True if this job's workflow file names this permission and grants it. */
export async function grants(job: Job, permission: string): Promise<boolean> {
  const granted = await grantedTo(job);
  return typeof granted === "object" && granted[permission] === "write";
}

/** True if this job's workflow file certainly gives its token no permission to change anything at GitHub. */
export async function isReadOnly(job: Job): Promise<boolean> {
  const granted = await grantedTo(job);
  if (granted === undefined || typeof granted === "string") return granted === "read-all";
  return Object.entries(granted).every(([name, access]) => access !== "write" || changesNothing.has(name));
}

/** Permissions called `write` that give access to a service. */
const changesNothing: ReadonlySet<string> = new Set(["id-token", "models", "copilot-requests"]);

/** The permissions in the workflow file; `undefined` if it does not say. */
async function grantedTo({ env, workspace }: Job): Promise<z.infer<typeof permissions>> {
  const path = workflowOf(env);
  const text = path === undefined ? undefined : await readFile(join(workspace, path), "utf8").catch(() => {});
  const read = file.safeParse(yamlIn(text ?? ""));
  // For a reusable workflow, only its own file could tell more.
  const job = read.data?.jobs[env["GITHUB_JOB"] ?? ""];
  // For a reusable workflow, only its own file could tell more.
  if (job === undefined || job.uses !== undefined) return undefined;
  return job.permissions ?? read.data?.permissions;
}

function yamlIn(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
