import { isOurs } from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";

/**
 * Throws if a variable that agents or checks would see holds a token with which they could write as the job: one that
 * pushes, or the job's own, unless the workflow file gives that one no permission to write.
 */
export async function refuseJobToken(inputs: Inputs, job: Job): Promise<void> {
  const own = [inputs["github-token"], job.env["GITHUB_TOKEN"], job.env["GH_TOKEN"]];
  const held = (tokens: readonly (string | undefined)[]) =>
    Object.entries(job.env).flatMap(([name, value = ""]) =>
      !isOurs(name) && tokens.some((token) => token && value.includes(token)) ? [name] : [],
    );
  const pushing = held([inputs["push-token"], inputs["app-private-key"]]);
  if (pushing.length > 0)
    throw new RefusedError(
      `${named(pushing)} holds the token that pushes (\`push-token\` or \`app-private-key\`), and an agent would see it: use another token for it`,
    );
  const names = held(own);
  if (names.length === 0) return;
  // Loaded only here: it brings the parser of workflow files.
  const { isReadOnly } = await import("../github/job-permissions.ts");
  if (await isReadOnly(job)) return;
  throw new RefusedError(
    `${named(names)} holds the token of this job, which may write, and an agent would see it: run the agent in a job with \`permissions: contents: read\` and publish in another one, as in examples/workflows/hardened.yml, or use another token`,
  );
}

const named = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(", ");
