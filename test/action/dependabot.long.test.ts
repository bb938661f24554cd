import { expect, onTestFinished, test } from "vitest";
import { openGitHubHost } from "../parts/github-host/host.ts";
import { useOnHost } from "./source.ts";

test.each([
  ["dependabot[bot]", "api", true],
  ["octocat", "api", false],
  ["dependabot[bot]", "command:true", false],
])(
  "a job that %s started, with the agent %s and no key: Dependabot's secrets are named: %s",
  async (actor, agent, isNamed) => {
    const host = await openGitHubHost({ files: { "state.txt": "red\n" } });
    onTestFinished(() => host.close());
    const result = await useOnHost({
      host,
      github: { actor },
      env: { PATH: process.env["PATH"] ?? "", GITHUB_ACTOR: actor },
      inputs: {
        prompt: "go",
        "until-bash": "grep -q green state.txt",
        "max-iterations": "1",
        agent,
        "anthropic-api-key": "",
      },
    });
    expect(result.ok).toBe(false);
    expect(result.log.join("\n").includes("gh secret set NAME --app dependabot")).toBe(isNamed);
  },
);
