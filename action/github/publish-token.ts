import { loadGitHub } from "../../src/api/github.ts";
import { defined } from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";
import {
  branchesOf,
  type PublishContext,
  pushTokenName,
  startsWorkflows,
} from "../publish/publish-context.ts";

/**
 * The token for pushing: a fresh app token, because it expires after an hour and loops may run for five; else
 * `push-token`, else the job's own.
 */
export async function publishToken(
  inputs: Inputs,
  job: Job,
  patienceMs?: number,
): Promise<string | undefined> {
  const { "app-id": id, "app-private-key": privateKey } = inputs;
  if (id === undefined || privateKey === undefined) return inputs["push-token"] ?? inputs["github-token"];
  const { mintAppToken } = await import("./app-token.ts");
  return await mintAppToken({ id, privateKey, patienceMs }, job);
}

/** A run has been paid for when it is published, so an outage of GitHub is waited for, like a rate limit. */
const outageMs = 5 * 60_000;

/**
 * Access for publishing a run that has ended: patient, and with a fresh app token, valid for an hour. If GitHub refuses
 * that, the work is not published, but the end of the run is still recorded and shown.
 */
export async function freshAccess(
  context: PublishContext,
): Promise<Partial<Pick<PublishContext, "remote" | "github" | "refused">>> {
  const { inputs, job } = context;
  if (context.remote === undefined) return {};
  const { openJobClient } = await import("./client.ts");
  const own = inputs["github-token"];
  const patienceMs = outageMs;
  const github = own === undefined ? undefined : openJobClient({ token: own, patienceMs });
  if (inputs["app-id"] === undefined) return defined({ github });
  try {
    const token = (await publishToken(inputs, job, patienceMs)) ?? "";
    return { remote: await branchesOf(context, token), github: openJobClient({ token, patienceMs }) };
  } catch (error) {
    return { refused: error, ...defined({ github }) };
  }
}

/** Tries the token for pushing before anything costs money; throws `RefusedError` if it is not allowed to push. */
export async function tryPushToken(inputs: Inputs, job: Job): Promise<void> {
  if (inputs.publish === "none" || !startsWorkflows(inputs)) return;
  const token = (await publishToken(inputs, job)) ?? "";
  const name = pushTokenName(inputs);
  const [{ openJobClient }, { readRepositoryFacts }] = await Promise.all([
    import("./client.ts"),
    loadGitHub(),
  ]);
  const github = openJobClient({ token, patienceMs: 20_000 });
  const facts = await readRepositoryFacts(github).catch((error: unknown) => {
    const { status, message } = error as { readonly status?: number; readonly message?: string };
    if (status !== 401 && status !== 403 && status !== 404) throw error;
    throw new RefusedError(
      `GitHub refuses ${name} (${message}): it has expired, was revoked or is not valid for this repository. Use another token, or \`app-id\` and \`app-private-key\` of a GitHub App`,
    );
  });
  if (facts.mayPush === false)
    throw new RefusedError(
      `${name} can read this repository but cannot push to it: give it the permission \`contents: write\``,
    );
}
