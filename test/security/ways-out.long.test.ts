import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openIsolation } from "../../src/processes/isolation.ts";
import { openScene, planted, type Scene, user } from "./escape-scene.ts";
import { waysOut } from "./way-out-list.ts";

const walls = await openIsolation({ mode: "auto", environment: process.env }).walls();
const isWalled = walls.every(({ name, on }) => on || name === "network");
const isRoot = process.getuid?.() === 0;
const all = Object.entries(waysOut).map(([name, way], at) => ({ name, way, loot: `way-${at}` }));

/** A daemon of the same user that gives out a secret. */
async function daemonAt(path: string): Promise<Server> {
  mkdirSync(dirname(path), { recursive: true });
  const daemon = createServer((socket) => void socket.end(`${planted}\n`)).listen(path);
  await new Promise((listening) => daemon.once("listening", listening));
  chmodSync(path, 0o777);
  if (isRoot) chownSync(path, user, user);
  return daemon;
}

async function openDaemons() {
  const folder = mkdtempSync(isRoot ? "/run/until-green-" : "/tmp/until-green-");
  chmodSync(folder, 0o755);
  const [database = "", other = ""] = [".s.PGSQL.5432", "daemon.sock"].map((name) => join(folder, name));
  const daemons = await Promise.all([database, other].map(daemonAt));
  const close = () => {
    for (const daemon of daemons) daemon.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { variables: { DATABASE_SOCKET: database, DAEMON_SOCKET: other }, close };
}

const agent = [
  ...all.map(({ way, loot }) => `( ${way.agent}\n) > loot/${loot} 2> /dev/null < /dev/null`),
  "touch loot/ready; sleep 3; touch done; echo finished",
].join("\n");

async function untilThere(path: string) {
  for (let tries = 0; tries < 600 && !existsSync(path); tries++)
    await new Promise((later) => setTimeout(later, 50));
}

describe.runIf(isWalled)("with `isolation: required`, an agent of an ordinary user does not reach", () => {
  const found = new Map<string, string>();
  let scene: Scene;
  let close: () => void = () => undefined;
  const look = (part: "before" | "during" | "after") => {
    for (const { name, way } of all)
      if (way[part] !== undefined)
        found.set(name, `${found.get(name) ?? ""}${scene.look(`{ ${way[part]}\n} 2>&1`)}`);
  };
  beforeAll(async () => {
    const daemons = await openDaemons();
    scene = await openScene(daemons.variables);
    close = () => {
      daemons.close();
      scene.close();
    };
    look("before");
    found.clear();
    const running = scene.run(agent, "required");
    await untilThere(join(scene.checkout, "loot/ready"));
    look("during");
    const { stdout } = await running;
    expect(stdout).toContain("succeeded");
    look("after");
  }, 180_000);
  afterAll(() => close());

  test.each(all.map(({ name, loot }) => [name, loot] as const))("%s", (name, loot) => {
    expect(scene.loot(loot)).not.toContain(planted);
    expect(found.get(name) ?? "").not.toContain(planted);
  });
});
