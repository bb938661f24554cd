import process, { env } from "node:process";
import { run } from "probot";
import { apiOf } from "../src/api/github.ts";
import { messageOf } from "../src/api/runs.ts";
import { createHome, homeOptions, PatientOctokit } from "./octokit-options.ts";
import { redeliver } from "./redeliver.ts";

// SIGUSR1 would open Node's inspector on loopback to every process of this user.
process.on("SIGUSR1", () => {});

// Without a secret, Probot would use a well-known default.
if (env["APP_ID"] && !env["WEBHOOK_SECRET"])
  stop("WEBHOOK_SECRET is not set: give the secret of the app's webhook");

const everyMs = 15 * 60_000;
const longestEndMs = 8_000;
const home = createHome(options());
const server = await run(
  async (probot, services) => {
    await home.load(probot, services);
    if (!env["APP_ID"]) return;
    // Requests redelivery of webhooks that arrived while no process of the app was running.
    const again = async () => {
      try {
        const redelivered = await redeliver(apiOf(await probot.auth()), Date.now());
        if (redelivered.again.length + redelivered.lost.length > 0)
          probot.log.info(redelivered, "deliveries that had failed");
      } catch (error) {
        probot.log.warn(error, "the list of failed deliveries could not be read from GitHub");
      }
    };
    void again();
    setInterval(() => void again(), everyMs).unref();
  },
  { env, Octokit: PatientOctokit },
);

// Probot handles only terminal signals, and waits for open connections.
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.removeAllListeners(signal);
  process.once(signal, () => void end());
}

/** Stops accepting, finishes work in hand, and takes no longer than platforms allow. */
async function end(): Promise<void> {
  const late = setTimeout(() => process.exit(home.app.deliveries.pending === 0 ? 0 : 1), longestEndMs);
  const stopped = server.stop();
  await home.close();
  await stopped;
  await home.close();
  clearTimeout(late);
  process.exit(0);
}

function options() {
  try {
    return homeOptions(env);
  } catch (error) {
    return stop(messageOf(error));
  }
}

function stop(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(2);
}
