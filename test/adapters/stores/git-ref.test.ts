import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { gitRefStore } from "../../../src/adapters/stores/git-ref.ts";
import { type GitServer, openGitServer } from "../../parts/git-server.ts";
import { keepsTheLogStoreContract } from "./log-store.contract.ts";

const top = mkdtempSync(join(tmpdir(), "git-ref-store-"));
const servers: GitServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.close();
  rmSync(top, { recursive: true, force: true });
});

/** Another machine: its own temporary folder. */
const machine = ({ origin, token }: GitServer) => ({
  PATH: process.env["PATH"],
  HOME: top,
  RUNNER_TEMP: mkdtempSync(join(top, "machine-")),
  GITHUB_SERVER_URL: origin,
  GITHUB_TOKEN: token,
});

async function host(): Promise<GitServer> {
  const server = await openGitServer();
  servers.push(server);
  return server;
}

keepsTheLogStoreContract(
  "the git-ref store",
  async () => {
    const server = await host();
    return gitRefStore({ remote: server.url, cwd: top, environment: machine(server) });
  },
  { rounds: 8 },
);
