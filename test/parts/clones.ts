import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { type GitServer, openGitServer } from "./git-server.ts";
import { type Folder, folderAt } from "./terminal.ts";

/** A git host with one commit, removed when the test ends. */
export async function openHost(files: Readonly<Record<string, string>>): Promise<GitServer> {
  const server = await openGitServer();
  onTestFinished(() => server.close());
  const seed = await machine(server);
  seed.write(files);
  await gitIn(seed, server, "add", "--all");
  await gitIn(seed, server, "commit", "--quiet", "--message", "begin");
  await gitIn(seed, server, "push", "--quiet", "origin", "HEAD:main");
  return server;
}

/**
 * A fresh clone as on another machine: another path, HOME and temporary folder; `depth` truncates its history, `ref`
 * is what it checks out.
 */
export async function openClone(
  server: GitServer,
  { depth, ref = "HEAD" }: { readonly depth?: number; readonly ref?: string } = {},
): Promise<Folder> {
  const clone = await machine(server);
  await gitIn(
    clone,
    server,
    "fetch",
    "--quiet",
    ...(depth === undefined ? [] : [`--depth=${depth}`]),
    "origin",
    ref,
  );
  await gitIn(clone, server, "checkout", "--quiet", "-B", "main", "FETCH_HEAD");
  return clone;
}

async function machine(server: GitServer): Promise<Folder> {
  const home = mkdtempSync(join(tmpdir(), "machine-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
  const path = mkdtempSync(join(home, "work-"));
  const temporary = mkdtempSync(join(home, "temporary-"));
  const folder = folderAt(path, {
    PATH: process.env["PATH"],
    HOME: home,
    TMPDIR: temporary,
    RUNNER_TEMP: temporary,
    GITHUB_SERVER_URL: server.origin,
    GITHUB_TOKEN: server.token,
  });
  await gitIn(folder, server, "init", "--quiet", "--initial-branch=main");
  await gitIn(folder, server, "remote", "add", "origin", server.url);
  return folder;
}

async function gitIn(
  folder: Folder,
  { origin, token }: GitServer,
  ...args: readonly string[]
): Promise<void> {
  const key = `http.${origin}/.extraheader=AUTHORIZATION: basic ${Buffer.from(`x:${token}`).toString("base64")}`;
  // Asynchronous, because the host runs in this process.
  await promisify(execFile)("git", ["-c", key, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    cwd: folder.path,
    timeout: 30_000,
  });
}
