import { dispatch, loadGitHub } from "../../src/index.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { Host } from "../job/host.ts";
import type { Job } from "../job/job.ts";
import type * as app from "./app-site.ts";

/** The host of this job, asked with its token; without one nothing is asked. */
export function hostOf(job: Job, inputs: Inputs): Host {
  const { env, host } = job;
  const token = inputs["github-token"] ?? (env["GITHUB_TOKEN"] || undefined);
  const repository = env["GITHUB_REPOSITORY"];
  if (token === undefined || !repository) return host ?? {};
  const at = { token, repository, apiUrl: env["GITHUB_API_URL"] };
  let doubtsOf: Promise<ReturnType<typeof app.doubtsOf>> | undefined;
  return {
    async isAlive(job) {
      const { isRunAlive, openGitHub } = await loadGitHub();
      return await isRunAlive(openGitHub(at), job);
    },
    async doubts(said) {
      doubtsOf ??= import("./app-site.ts").then((app) => app.doubtsOf(inputs, job));
      return await (await doubtsOf)?.(said);
    },
    async wake(workflow, { ref, inputs }) {
      const { openGitHub } = await loadGitHub();
      const github = openGitHub(at);
      await dispatch({ api: { request: github.request as never }, ...github.at }, { workflow, ref, inputs });
    },
    ...host,
  };
}
