import process, { env } from "node:process";
import { z } from "zod";
import { apiOf, openGitHub, openRepositoryContext, sweep } from "../src/api/github.ts";

// SIGUSR1 would open Node's inspector on loopback to every process of this user.
process.on("SIGUSR1", () => {});

const { GITHUB_TOKEN: token, GITHUB_REPOSITORY: repository, GITHUB_API_URL: apiUrl } = env;
if (!token || !repository) {
  process.stderr.write(
    "the sweep needs GITHUB_TOKEN and GITHUB_REPOSITORY, which a GitHub Actions job has\n",
  );
  process.exit(2);
}
const github = openGitHub({ token, repository, apiUrl });
const repositorySchema = z.object({ default_branch: z.string() });
const { data } = await github.request("GET /repos/{owner}/{repo}", github.at);
const site = openRepositoryContext({
  api: apiOf(github),
  ...github.at,
  defaultBranch: repositorySchema.parse(data).default_branch,
  server: env["GITHUB_SERVER_URL"] || "https://github.com",
  login: github.login,
  key: env["UNTIL_GREEN_STATE_KEY"] || undefined,
});
const swept = await sweep(site);
const names = (runs: readonly string[]) => (runs.length === 0 ? "none" : runs.join(", "));
process.stdout.write(
  `${swept.runs} runs; started: ${names(swept.started)}; commands taken up: ${swept.answered.length}; their job is gone: ${names(swept.dead)}; tidied: ${names(swept.tidied)}; removed: ${names(swept.removed)}\n`,
);
for (const fault of swept.faults) process.stderr.write(`${fault}\n`);
process.exitCode = swept.faults.length > 0 ? 1 : 0;
