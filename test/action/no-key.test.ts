import { dirname } from "node:path";
import { expect, test } from "vitest";
import { openGitHubHost } from "../parts/github-host/host.ts";
import { annotationsOf } from "./checkout.ts";
import { useOnHost } from "./source.ts";

test.each([
  [
    "octocat",
    /^claude has no key: set the variable ANTHROPIC_API_KEY \(or .*\), in a job from a secret[^\n]*$/,
  ],
  ["dependabot[bot]", /claude has no key[^\n]*\n.*Settings → Secrets and variables → Dependabot/],
])("a job that %s started without a key says what is missing, and installs nothing", async (actor, says) => {
  const host = await openGitHubHost({ files: { "state.txt": "red\n" } });
  const { log, ...result } = await useOnHost({
    host,
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
    github: { actor },
    inputs: { "until-bash": "grep -qx green state.txt", agent: "claude", "anthropic-api-key": "" },
  });
  await host.close();
  expect(
    annotationsOf({ log, ...result }, "error")
      .map(({ message }) => message)
      .join("\n"),
  ).toMatch(says);
  expect(log.join("\n")).not.toContain("Installing");
});
