import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { nothingLost } from "../../src/ports/disk-fault.ts";
import { loopFile } from "../parts/terminal.ts";
import { cloneOf, jobOf, openRepository } from "./github-job.ts";

vi.setConfig({ testTimeout: 180_000 });

/** A runner kills after 10 seconds; a busy machine gets longer, but not as long as one request's patience. */
const killedMs = 18_000;

test("a cancelled job ends by itself, with its outputs, though GitHub accepts everything and answers nothing", async () => {
  const files = { "slow.yml": loopFile("prompt: Go\nuntil_bash: test -f never\nmax_iterations: 3") };
  const host = await openRepository({ files });
  const clone = await cloneOf(host);
  const note = join(clone.path, "..", "driver");
  const agent = `command:echo 1 > work.txt; echo $PPID > ${note}; exec sleep 600`;
  const inputs = { workflow: "slow.yml", agent, "run-id": "silent-1", isolation: "off", publish: "branch" };
  const job = jobOf(host, { id: 12, inputs, clone });
  while (!existsSync(note) || readFileSync(note, "utf8") === "") await wait(100);
  host.fault(/./, { delayMs: 90_000 });
  host.git.fault = () => "hang";
  const driver = Number(readFileSync(note, "utf8"));
  process.kill(driver, "SIGINT");
  const isDone = await Promise.race([job.then(() => true), wait(killedMs, false)]);
  if (!isDone) process.kill(driver, "SIGKILL");
  const { outputs, log } = await job;
  expect(isDone, log.join("\n")).toBe(true);
  // Its record could not be sent, and it says so.
  expect(outputs).toMatchObject({ "run-id": "silent-1", conclusion: "failure", "stop-reason": "internal" });
  expect(log.join("\n")).toContain(nothingLost);
});
