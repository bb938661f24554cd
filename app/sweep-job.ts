import process, { env } from "node:process";
import { z } from "zod";
import { openGitHub } from "../src/index.ts";
import { openSite } from "./site.ts";
import { sweep } from "./sweep.ts";

const { GITHUB_TOKEN: token, GITHUB_REPOSITORY: repository, GITHUB_API_URL: apiUrl } = env;
if (!token || !repository) {
  process.stderr.write(
    "the sweep needs GITHUB_TOKEN and GITHUB_REPOSITORY, as a job of GitHub Actions has them\n",
  );
  process.exit(2);
}
const { at, request, login } = openGitHub({ token, repository, apiUrl });
const about = z.object({ default_branch: z.string() });
const { data } = await request("GET /repos/{owner}/{repo}", at);
const site = openSite({
  api: { request: request as never },
  ...at,
  defaultBranch: about.parse(data).default_branch,
  server: env["GITHUB_SERVER_URL"] || "https://github.com",
  login,
  key: env["UNTIL_GREEN_STATE_KEY"] || undefined,
});
const swept = await sweep(site);
const names = (runs: readonly string[]) => (runs.length === 0 ? "none" : runs.join(", "));
process.stdout.write(
  `${swept.runs} runs; started: ${names(swept.started)}; their job is gone: ${names(swept.dead)}; tidied: ${names(swept.tidied)}\n`,
);
for (const fault of swept.faults) process.stderr.write(`${fault}\n`);
process.exitCode = swept.faults.length > 0 ? 1 : 0;
