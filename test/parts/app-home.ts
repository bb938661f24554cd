import { createServer } from "node:http";
import { createNodeMiddleware, Probot, ProbotOctokit } from "probot";
import { onTestFinished } from "vitest";
import { createHome, type HomeOptions } from "../../app/octokit-options.ts";
import type { Application } from "../../app/webhooks.ts";
import type { GitHubHost } from "./github-host/host.ts";
import { listen } from "./listen.ts";

/** One process of the app on loopback. */
export interface AppHome {
  /** The URL of its webhooks. */
  readonly hooks: string;
  readonly origin: string;
  readonly app: Application;
  close(): Promise<void>;
}

/** The app as run by its own server, against a host on loopback; stopped when the test ends. */
export async function openAppHome(
  github: Pick<GitHubHost, "url" | "app">,
  options: Partial<HomeOptions> = {},
): Promise<AppHome> {
  const keys = github.app;
  if (keys === undefined) throw new Error("the host has no app");
  const probot = new Probot({
    appId: keys.appId,
    privateKey: keys.privateKey,
    secret: keys.secret,
    baseUrl: github.url,
    logLevel: "fatal",
    // Only this form of options reaches the throttling plugin, whose default of a second between writes is too long
    // for a test.
    Octokit: ProbotOctokit.defaults((options: { readonly throttle?: object }) => ({
      ...options,
      throttle: { ...options.throttle, enabled: false },
      retry: { enabled: false },
    })),
  });
  const { app, load } = createHome({ secret: keys.secret, ...options });
  const middleware = await createNodeMiddleware(load, { probot });
  const server = createServer((request, response) => {
    void middleware(request, response, () => void response.writeHead(404).end());
  });
  const { url: origin, close } = await listen(server);
  onTestFinished(close);
  return { origin, hooks: `${origin}/api/github/webhooks`, app, close };
}
