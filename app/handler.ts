import type { IncomingMessage, ServerResponse } from "node:http";
import { createNodeMiddleware, createProbot } from "probot";
import { createHome, homeOptions, PatientOctokit } from "./home.ts";

/**
 * The app as a function that a platform calls for each request. The platform must let what was begun come to its end
 * after the answer; `settled` waits for that where it has a place for it.
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
    settled: () => home.app.intake.idle(),
  };
}
