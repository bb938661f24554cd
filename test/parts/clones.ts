import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type GitServer, openGitServer } from "./git-server.ts";
import { type Folder, folderAt } from "./terminal.ts";

/** A git host with one commit on it, gone when the test ends. */
export async function openHost(files: Readonly<Record<string, string>>): Promise<GitServer> {
  const server = await openGitServer();
  onTestFinished(() => server.close());
  const seed = machine(server);
  seed.write(files);
  gitIn(seed, server, "add", "--all");
  gitIn(seed, server, "commit", "--quiet", "--message", "begin");
  gitIn(seed, server, "push", "--quiet", "origin", "HEAD:main");
  return server;
}

/** A fresh clone as on another machine: another path, HOME and temporary folder; `depth` cuts its history off. */
export function openClone(server: GitServer, { depth }: { readonly depth?: number } = {}): Folder {
  const clone = machine(server);
  gitIn(
    clone,
    server,
    "fetch",
    "--quiet",
    ...(depth === undefined ? [] : [`--depth=${depth}`]),
    "origin",
    "main",
  );
  gitIn(clone, server, "checkout", "--quiet", "-B", "main", "FETCH_HEAD");
  return clone;
}

function machine(server: GitServer): Folder {
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
  gitIn(folder, server, "init", "--quiet", "--initial-branch=main");
  gitIn(folder, server, "remote", "add", "origin", server.url);
  return folder;
}

function gitIn(folder: Folder, { origin, token }: GitServer, ...words: readonly string[]): void {
  const key = `http.${origin}/.extraheader=AUTHORIZATION: basic ${Buffer.from(`x:${token}`).toString("base64")}`;
  execFileSync("git", ["-c", key, "-c", "user.name=a", "-c", "user.email=a@b", ...words], {
    cwd: folder.path,
    timeout: 30_000,
  });
}
