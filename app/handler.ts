import type { IncomingMessage, ServerResponse } from "node:http";
import { createNodeMiddleware, createProbot } from "probot";
import { createHome, homeOptions, PatientOctokit } from "./octokit-options.ts";

/**
 * The app as a function that a platform calls for each request. Work continues after the response, so the platform must
 * not freeze the process; if it can wait for that, `settled` is the promise.
 */
export async function createHandler(env: Readonly<Record<string, string | undefined>>) {
  if (!env["WEBHOOK_SECRET"])
    throw new Error("WEBHOOK_SECRET is not set: give the secret of the app's webhook");
  const home = createHome(homeOptions(env));
  const probot = createProbot({ env: { ...env } as never, overrides: { Octokit: PatientOctokit } });
  const middleware = await createNodeMiddleware((app, options) => home.load(app, options), { probot });
  return {
    handle: (request: IncomingMessage, response: ServerResponse) =>
      middleware(request, response, () => void response.writeHead(404).end()),
    settled: () => home.app.deliveries.idle(),
  };
}
