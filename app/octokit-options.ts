import { type ApplicationFunctionOptions, type Probot, ProbotOctokit } from "probot";
import { z } from "zod";
import { apiOf, askIfThere, commandLimit } from "../src/api/github.ts";
import { openPages, type Pages } from "./server.ts";
import { readOrigin } from "./signed-links.ts";
import { createApplication, siteOf } from "./webhooks.ts";

/** Octokit with a time-out for every request. */
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
  /** Where people reach the server, like `https://loops.example.com`; links lead there. */
  readonly url?: string | undefined;
  readonly stateKey?: string | undefined;
  /** Opens `/metrics`, as a bearer token; without it they are closed. */
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

/** The app with its pages, for a server of any kind: Probot's own, or a function that a platform calls. */
export function createHome({ secret, url, stateKey, everyMs, metricsToken, mostCommands }: HomeOptions) {
  const settings = { stateKey, mostCommands, pages: url === undefined ? undefined : { origin: url, secret } };
  const app = createApplication(settings);
  const open = (probot: Probot) => async (owner: string, repo: string) => {
    const asApp = await probot.auth();
    const place = { owner, repo };
    const found = await askIfThere(apiOf(asApp), "GET /repos/{owner}/{repo}/installation", place);
    if (found === undefined) return undefined;
    const octokit = await probot.auth(z.object({ id: z.number() }).parse(found).id);
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
      await app.load(probot, options);
      const metrics = () => app.metrics.text(app.intake.pending);
      const every = everyMs === undefined ? {} : { everyMs };
      pages = openPages({ open: open(probot), metrics, metricsToken, secret, ...every });
      options.addHandler(pages.answer);
    },
    /** Finishes what was taken in, and lets all go who look on. */
    async close() {
      pages?.close();
      await app.intake.idle();
    },
  };
}
