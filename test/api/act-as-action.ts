import { openGitHub, readAccess, readBranchName, readPushRules } from "../../src/github/index.ts";
import { session } from "../action/checkout.ts";
import { jobOf } from "../action/github-job.ts";
import { commitOn, pullOn, useOnHost } from "../action/source.ts";
import type { GitHubHost, GitHubHostOptions } from "../parts/github-host/host.ts";
import { loopFile } from "../parts/terminal.ts";

const twoSteps = session(
  { node: "loop", iteration: 1, say: "Tried.", write: { "state.txt": "nearly\n" } },
  { node: "loop", iteration: 2, say: "Done now.", write: { "state.txt": "green\n", "src/new.txt": "n\n" } },
);
const gated = loopFile(
  "prompt: work\nuntil: DONE\nmax_iterations: 9\ninteractive: true\ngate_message: look",
  "interactive: true\n",
);
const loop = { prompt: "Go", "until-bash": "grep -qx green state.txt", agent: "scripted:session.yml" };

const options: GitHubHostOptions = {
  users: { ada: "write" },
  files: { "state.txt": "red\n", "session.yml": twoSteps, "w.yml": gated },
};

/** What jobs do: publish, show, pause, be answered, go on. */
export const actAsAction = {
  options,
  async play(host: GitHubHost, url: string): Promise<void> {
    const through = { ...host, url };
    const toPull = { ...loop, publish: "pull-request", title: "Mend", labels: "loop", "failure-issue": "1" };
    await useOnHost({ host: through, inputs: { ...toPull, "max-iterations": "1" } });
    await useOnHost({ host: through, inputs: toPull });
    await useOnHost({ host: through, inputs: { ...toPull, "until-checks": "ci" } });
    const signed = { branch: "signed", "commit-mode": "api", signoff: "true", "if-no-changes": "fail" };
    const binary = "printf 'a\\377' > bin; echo b";
    const byCommand = { prompt: "Go", "until-bash": "test -e bin", "agent-command": binary };
    await useOnHost({ host: through, inputs: { ...byCommand, ...signed, publish: "branch" } });
    const issue = await host.as("octocat", "POST /issues", { title: "It breaks", body: "Mend it." });
    const labeled = { action: "labeled", issue: { number: issue.number }, sender: { login: "octocat" } };
    await useOnHost({ host: through, event: "issues", payload: labeled, inputs: byCommand });
    await commitOn(host, "topic", { "new.txt": "new\n" });
    const { payload } = await pullOn(host, "topic");
    const inputs = { ...loop, publish: "push" };
    await useOnHost({ host: through, ref: "topic", event: "pull_request", payload, inputs });
    const paused = { workflow: "w.yml", "run-id": "paused-run-0a1b2c3d", "agent-command": "echo did" };
    await jobOf(through, { id: 1, inputs: paused });
    const github = openGitHub({ token: host.token, repository: host.repository, apiUrl: url });
    const ruleset = { id: 7, name: "all branches", current_user_can_bypass: "always" };
    host.rules.push({ type: "required_signatures", branches: /^ruled$/, ruleset });
    await readPushRules(github, "ruled");
    await readBranchName(github, "main");
    for (const what of ["pull-requests", "checks", "actions"] as const) await readAccess(github, what);
  },
};
