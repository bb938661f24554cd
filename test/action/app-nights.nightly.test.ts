import { test } from "vitest";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { breaks, green, merges, type Night, playNights } from "./play-nights.ts";

const all = `${green("a")}; ${green("b")}; ${green("c")}`;
const inputs = ({ app }: GitHubHost) => ({
  "push-token": "",
  "app-id": String(app?.appId),
  "app-private-key": app?.privateKey ?? "",
});
const jobLogin = "github-actions[bot]";

/** GitHub gives the app no token any more. */
const refuses = (status: number, message: string) => (host: GitHubHost) =>
  host.fault(/^(GET .*\/installation|POST .*\/access_tokens)$/, { status, message });

const unpublished = (name: string, status: number, message: string): Night => ({
  name,
  during: refuses(status, message),
  agent: all,
  morning: {
    conclusion: "failure",
    calls: 1,
    says: `did not provide a token for octocat/hello (${message}`,
  },
});

const series: Readonly<Record<string, readonly Night[]>> = {
  "a job's token that expires in a run of many hours": [
    {
      name: "expires",
      during: (host) => host.expire(jobLogin),
      agent: all,
      // The record of the run lacks the check, so nobody knows that the work is green.
      morning: {
        conclusion: "failure",
        calls: 1,
        pull: 1,
        green: false,
        says: "no longer accepts the token",
      },
    },
    {
      name: "the next job has another token",
      day: (host) => host.renew(jobLogin),
      morning: { conclusion: "skipped", pull: 1, green: true },
    },
  ],
  "an app that is suspended, uninstalled, and gets another key while the agent works": [
    unpublished("suspended", 403, "This installation has been suspended"),
    unpublished("uninstalled", 404, "Not Found"),
    unpublished("its key was revoked", 401, "A JSON web token could not be decoded"),
    {
      name: "suspended already",
      day: refuses(403, "This installation has been suspended"),
      morning: { conclusion: "failure", says: "This installation has been suspended" },
    },
    {
      name: "all is well",
      agent: all,
      morning: { conclusion: "success", calls: 1, pull: 1, green: true },
    },
  ],
  "a repository that is archived while the agent works": [
    {
      name: "archived",
      during: (host) => host.archive(true),
      agent: all,
      morning: {
        conclusion: "failure",
        calls: 1,
        unrecorded: 1,
        says: "is archived and takes nothing: unarchive it",
      },
    },
    {
      name: "unarchived",
      day: (host) => host.archive(false),
      agent: all,
      morning: { conclusion: "success", calls: 1, pull: 1, green: true },
    },
    {
      name: "merged, and broken again",
      async day(host) {
        await merges("squash")(host);
        await breaks("d")(host);
      },
      agent: green("d"),
      morning: { conclusion: "success", calls: 1, pull: 2, green: true },
    },
  ],
};

test.each(Object.entries(series))(
  "%s",
  async (_, nights) => {
    await playNights(
      nights.map((night) => ({ ...night, inputs })),
      { app: true },
    );
  },
  1_800_000,
);
