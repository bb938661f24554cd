import process, { env } from "node:process";
import { run } from "probot";
import { createHome, PatientOctokit } from "./home.ts";

// Probot signs with a word everybody knows where none is given; that would let anybody in.
if (env["APP_ID"] && !env["WEBHOOK_SECRET"]) {
  process.stderr.write("WEBHOOK_SECRET is not set: give the secret of the app's webhook\n");
  process.exit(2);
}

const home = createHome(env["WEBHOOK_SECRET"] ?? "");
await run((probot, options) => home.load(probot, options), { env, Octokit: PatientOctokit });
