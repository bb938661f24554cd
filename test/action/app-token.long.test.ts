import { expect, onTestFinished, test } from "vitest";
import { openGitHubHost } from "../parts/github-host/host.ts";
import { annotationsOf, session } from "./checkout.ts";
import { useOnHost } from "./source.ts";

const fix = session({ node: "loop", iteration: 1, say: "Done.", write: { "state.txt": "green\n" } });
const loop = {
  prompt: "Go",
  "until-bash": "grep -qx green state.txt",
  agent: "scripted:session.yml",
  comment: "none",
  "check-run": "false",
  publish: "pull-request",
};

async function open() {
  const host = await openGitHubHost({
    app: true,
    users: { eve: "read" },
    files: { "state.txt": "red\n", "session.yml": fix },
  });
  onTestFinished(() => host.close());
  host.webhooks.url = undefined;
  return host;
}

test("the app's token is made when the work is published, pushes it and opens the pull request", async () => {
  const host = await open();
  const app = { "app-id": String(host.app?.appId), "app-private-key": host.app?.privateKey ?? "" };
  const result = await useOnHost({ host, inputs: { ...loop, ...app } });
  expect(result.ok, result.log.join("\n")).toBe(true);
  const pull = await host.as("octocat", "GET /pulls/1");
  expect(pull.user.login).toBe("until-green-app[bot]");
  const minted = host.journal.filter(({ path }) => path.endsWith("/access_tokens")).map(({ at }) => at);
  expect(minted.length).toBeGreaterThan(1);
  // One lives for an hour and a loop may run for five: the last is made after the loop.
  const opened = host.journal.find(({ method, path }) => method === "POST" && path.endsWith("/pulls"));
  expect(minted.at(-1)).toBeLessThan(opened?.at ?? 0);
  expect(result.log.join("\n")).not.toContain("PRIVATE KEY");
  // What the app pushes starts workflows: there is nothing to advise.
  expect(
    annotationsOf(result, "notice")
      .map(({ message }) => message)
      .join(),
  ).not.toContain("push-token");
});

test("the app's token is for the repository, also after that was renamed", async () => {
  const host = await open();
  host.rename("octocat/hi");
  const app = { "app-id": String(host.app?.appId), "app-private-key": host.app?.privateKey ?? "" };
  const result = await useOnHost({ host, inputs: { ...loop, ...app }, github: { repository_id: "1" } });
  expect(result.ok, result.log.join("\n")).toBe(true);
  const minted = host.journal.filter(({ path }) => path.endsWith("/access_tokens"));
  for (const { body } of minted) expect(body).toEqual({ repository_ids: [1] });
});

test("where GitHub does not answer for a moment, the app's token is asked for again", async () => {
  const host = await open();
  host.fault(/^GET .*\/installation$/, { status: 502 }, 1);
  host.fault(/^POST .*\/access_tokens$/, { status: 502 }, 1);
  host.fault(/^POST .*\/access_tokens$/, { drop: true }, 1);
  const app = { "app-id": String(host.app?.appId), "app-private-key": host.app?.privateKey ?? "" };
  const result = await useOnHost({ host, inputs: { ...loop, ...app } });
  expect(result.ok, result.log.join("\n")).toBe(true);
});

test("a key that GitHub does not know is refused before the agent works", async () => {
  const host = await open();
  const app = { "app-id": "999", "app-private-key": host.app?.privateKey ?? "" };
  const result = await useOnHost({ host, inputs: { ...loop, ...app } });
  expect(result.outputs["conclusion"]).toBe("failure");
  expect(
    annotationsOf(result, "error")
      .map(({ message }) => message)
      .join(),
  ).toMatch(/GitHub App 999 did not provide a token .* check `app-id`/);
  expect(result.outputs["iterations"]).toBe("0");
});

test.each([["expired", () => "ghp_expired", /refuses `push-token` .*Bad credentials.* expired/]])(
  "a push token that is %s is refused before the agent works",
  async (_, token, sentence) => {
    const host = await open();
    const result = await useOnHost({ host, inputs: { ...loop, "push-token": token() } });
    expect(result.outputs["conclusion"]).toBe("failure");
    expect(
      annotationsOf(result, "error")
        .map(({ message }) => message)
        .join(),
    ).toMatch(sentence);
    expect(result.outputs["iterations"]).toBe("0");
  },
);

test("an app needs its id and its key", async () => {
  const host = await open();
  const result = await useOnHost({ host, inputs: { ...loop, "app-id": "5" } });
  expect(
    annotationsOf(result, "error")
      .map(({ message }) => message)
      .join(),
  ).toContain("`app-id` and `app-private-key` belong together");
});
