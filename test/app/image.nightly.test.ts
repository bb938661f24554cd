import { execFile, spawn } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getuid, env as own } from "node:process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { build } from "../../scripts/build.ts";
import { openAppRepository } from "../parts/app-repository.ts";
import { freePort } from "../parts/free-port.ts";

const steps = readFileSync("Dockerfile", "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)] as const);
const wordsOf = (kind: string) => steps.filter(([name]) => name === kind).map(([, value]) => value);
const [command = ""] = wordsOf("CMD");
const settings = Object.fromEntries(
  wordsOf("ENV")
    .flatMap((value) => value.split(" "))
    .map((pair) => pair.split("=", 2)),
);

/** What the image's work folder holds once its steps were taken; `dist/` as the sources build it. */
const folder = mkdtempSync(join(tmpdir(), "image-"));

beforeAll(async () => {
  chmodSync(folder, 0o755);
  for (const value of wordsOf("COPY")) {
    const names = value.split(" ");
    const to = names.pop() ?? "";
    for (const from of names)
      if (from === "dist") await build(join(folder, to));
      else cpSync(from, join(folder, to.endsWith("/") ? join(to, from) : to));
  }
  return () => rmSync(folder, { recursive: true, force: true });
}, 300_000);

test("the image is built of what its ignore file lets through, and of nothing else", () => {
  const passed = readFileSync(".dockerignore", "utf8").split("\n");
  const copied = wordsOf("COPY").flatMap((value) => value.split(" ").slice(0, -1));
  expect(passed[0]).toBe("*");
  expect(passed.slice(1).filter(Boolean).toSorted()).toEqual(copied.map((name) => `!${name}`).toSorted());
  expect(readdirSync(folder).toSorted()).toEqual(["LICENSE", "dist", "package.json"].toSorted());
});

test("the image needs nothing of npm, and `dist/handler.js` is the app as a function", async () => {
  expect(wordsOf("RUN")).toEqual([]);
  const { createHandler } = await import(pathToFileURL(join(folder, "dist/handler.js")).href);
  await expect(createHandler({})).rejects.toThrow("WEBHOOK_SECRET is not set");
});

test("the server starts from it as a user without write access, is healthy, and stops on request", async () => {
  expect(wordsOf("USER")).toEqual(["node"]);
  const { github } = await openAppRepository();
  const port = `${await freePort()}`;
  const nobody = getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const [program = "", ...rest] = JSON.parse(command) as readonly string[];
  const child = spawn(program, rest, {
    cwd: folder,
    ...nobody,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...settings,
      PATH: own["PATH"] ?? "",
      HOST: "127.0.0.1",
      PORT: port,
      APP_ID: String(github.app?.appId),
      PRIVATE_KEY: github.app?.privateKey ?? "",
      WEBHOOK_SECRET: github.app?.secret ?? "",
      GHE_HOST: new URL(github.origin).host,
      GHE_PROTOCOL: "http",
    },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part: Buffer) => {
      output += part;
    });
  const ended = new Promise<number | null>((done) => child.on("close", done));
  await vi.waitFor(() => output.includes("Listening on") || never(output), { timeout: 40_000, interval: 20 });
  const [check = ""] = wordsOf("HEALTHCHECK");
  const [asks = "", ...how] = JSON.parse(check.slice(check.indexOf("["))) as readonly string[];
  await promisify(execFile)(asks, how, { env: { PATH: own["PATH"] ?? "", PORT: port } });
  child.kill("SIGTERM");
  expect(await ended, output).toBe(0);
});

function never(reason: string): never {
  throw new Error(`the server does not listen: ${reason}`);
}
