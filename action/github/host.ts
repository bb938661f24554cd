import { dispatch, loadGitHub } from "../../src/api/github.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { GitHubApi } from "../job/github-api.ts";
import type { Job } from "../job/job.ts";
import type * as app from "./issue-ops.ts";

/** The client for this job's host and token; `undefined` without a token. */
export function hostOf(job: Job, inputs: Inputs): GitHubApi {
  const { env, host } = job;
  const token = inputs["github-token"] ?? (env["GITHUB_TOKEN"] || undefined);
  const repository = env["GITHUB_REPOSITORY"];
  if (token === undefined || !repository) return host ?? {};
  const open = async () => (await import("./client.ts")).openJobClient({ token });
  let doubtsOf: Promise<ReturnType<typeof app.doubtsOf>> | undefined;
  return {
    async isAlive(job) {
      const { isRunAlive } = await loadGitHub();
      // Unknown in a private repository without `actions: read`; there the lock of the run must do.
      return (await isRunAlive(await open(), job)) === true;
    },
    async wasCalled(name) {
      const { apiOf, isNameOf } = await loadGitHub();
      const github = await open();
      return await isNameOf({ api: apiOf(github), ...github.at }, name);
    },
    async doubts(recorded) {
      doubtsOf ??= import("./issue-ops.ts").then((app) => app.doubtsOf(inputs, job));
      return await (await doubtsOf)?.(recorded);
    },
    async wake(workflow, { ref, inputs }) {
      const { apiOf } = await loadGitHub();
      const github = await open();
      await dispatch({ api: apiOf(github), ...github.at }, { workflow, ref, inputs });
    },
    ...host,
  };
}
