import { join } from "node:path";
import { findRepository, gitWorkspace } from "../../src/api/publishing.ts";
import { endSignal } from "../../src/api/runs.ts";
import type { Job } from "../job/job.ts";

type Request = Parameters<ReturnType<typeof gitWorkspace>["handle"]>[0];

/** A checkout as the work tree of a private repository. */
export type PrivateCheckout = NonNullable<Awaited<ReturnType<typeof openPrivateCheckout>>>;

/** Opens a private repository by its name, with the original checkout committed; `undefined` outside of git. */
export async function openPrivateCheckout(cwd: string, name: string, job: Job) {
  const repository = await findRepository(cwd);
  if (repository === undefined) return undefined;
  const dir = join(job.folder, name);
  const workspace = gitWorkspace({ privateDir: () => dir });
  const context = { runId: name, signal: endSignal, workspace: repository.top };
  const handle = (request: Request) => workspace.handle(request, context);
  await handle({ op: "snapshot", since: undefined, message: "as it came" });
  return { gitDir: join(dir, "snapshots.git"), prefix: repository.prefix, handle };
}
