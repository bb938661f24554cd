import { type ApplicationFunctionOptions, type Probot, ProbotOctokit } from "probot";
import { z } from "zod";
import { apiOf, askIfThere, commandLimit } from "../src/api/github.ts";
import { limitBodies } from "./limit-body.ts";
import { openPages, type Pages } from "./server.ts";
import { readOrigin } from "./signed-links.ts";
import { createApplication, siteOf } from "./webhooks.ts";

/** Octokit with a timeout for every request. */
export const PatientOctokit = ProbotOctokit.defaults({
  request: {
    fetch: (url: string, init: RequestInit) => fetch(url, { ...init, signal: AbortSignal.timeout(30_000) }),
  },
});

const repositorySchema = z.object({
  name: z.string(),
  owner: z.object({ login: z.string() }),
  default_branch: z.string(),
  html_url: z.string(),
  private: z.boolean(),
});

export interface HomeOptions {
  /** For the app's webhook. */
  readonly secret: string;
  /** The server's public URL, like `https://loops.example.com`; links use it. */
  readonly url?: string | undefined;
  readonly stateKey?: string | undefined;
  /** The bearer token for `/metrics`; without it, they are disabled. */
  readonly metricsToken?: string | undefined;
  /** Maximum commands of one person on one pull request in ten minutes; default no limit. */
  readonly mostCommands?: number | undefined;
  /** Milliseconds between two updates of a page with viewers. */
  readonly everyMs?: number;
}

/** Reads the deployment from the environment; throws for an invalid setting. */
export const homeOptions = (env: Readonly<Record<string, string | undefined>>): HomeOptions => ({
  secret: env["WEBHOOK_SECRET"] ?? "",
  url: readOrigin(env["PUBLIC_URL"]),
  stateKey: env["UNTIL_GREEN_STATE_KEY"] || undefined,
  metricsToken: env["METRICS_TOKEN"] || undefined,
  mostCommands: commandLimit.most,
});

/** The app with its pages, for any kind of server: Probot's own, or a platform function. */
export function createHome({ secret, url, stateKey, everyMs, metricsToken, mostCommands }: HomeOptions) {
  const settings = { stateKey, mostCommands, pages: url === undefined ? undefined : { origin: url, secret } };
  const app = createApplication(settings);
  const open = (probot: Probot) => async (owner: string, repo: string) => {
    const asApp = await probot.auth();
    const place = { owner, repo };
    const installation = await askIfThere(apiOf(asApp), "GET /repos/{owner}/{repo}/installation", place);
    if (installation === undefined) return undefined;
    const octokit = await probot.auth(z.object({ id: z.number() }).parse(installation).id);
    const { data } = await octokit.request("GET /repos/{owner}/{repo}", place);
    const repository = repositorySchema.parse(data);
    return {
      site: siteOf(octokit, repository, { ...settings, count: app.metrics.count }),
      isPrivate: repository.private,
    };
  };
  let pages: Pages | undefined;
  return {
    app,
    async load(probot: Probot, options: ApplicationFunctionOptions) {
      limitBodies(probot);
      await app.load(probot, options);
      const metrics = () => app.metrics.text(app.deliveries.pending);
      const every = everyMs === undefined ? {} : { everyMs };
      pages = openPages({ open: open(probot), metrics, metricsToken, secret, ...every });
      options.addHandler(pages.answer);
    },
    /** Finishes accepted work, and closes the connections of viewers. */
    async close() {
      pages?.close();
      await app.deliveries.idle();
    },
  };
}
