import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { gitRefStore } from "../../src/stores/git-ref.ts";
import { type GitServer, machineOf, openGitServer } from "./git-server.ts";

/** Git hosts, and the stores of several machines on them; all are removed after the tests of the file. */
export function openMachines() {
  const top = mkdtempSync(join(tmpdir(), "git-machines-"));
  const servers: GitServer[] = [];
  afterAll(async () => {
    for (const server of servers) await server.close();
    rmSync(top, { recursive: true, force: true, maxRetries: 3 });
  });

  async function host(): Promise<GitServer> {
    const server = await openGitServer();
    servers.push(server);
    return server;
  }

  /** The private parts of a machine: a temporary folder. */
  const machine = (server: GitServer, temporary = mkdtempSync(join(top, "machine-"))) =>
    machineOf(server, { home: top, temporary });

  const at = (server: GitServer, more: More = {}) =>
    gitRefStore({
      remote: server.url,
      cwd: top,
      environment: machine(server),
      rhythm: { pushMs: 60_000, lookMs: 0 },
      ...more,
    });

  return { top, host, machine, at };
}

type More = Partial<Parameters<typeof gitRefStore>[0]>;
