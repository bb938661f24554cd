import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { bareRepository } from "../../src/git/bare-repository.ts";
import type { ObjectFormat } from "../../src/git/objects.ts";
import { findRemote } from "../../src/git/remote.ts";
import { type LogCommit, type Step, writeLogCommit } from "../../src/stores/git/commit-log.ts";
import type { StateKey } from "../../src/stores/git/sign.ts";
import { gitRefStore } from "../../src/stores/git-ref.ts";
import { placeOf } from "../../src/stores/run-id.ts";

/** A bare repository on this machine that keeps runs: faster than a server, for tests without faults. */
export function localHost(format: ObjectFormat = "sha1") {
  const top = mkdtempSync(join(tmpdir(), "local-host-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 3 }));
  const path = join(top, "project.git");
  mkdirSync(path);
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", path, ...args], { encoding: "utf8", stdio: "pipe" }).trim();
  git("init", "--quiet", "--bare", "--initial-branch=main", `--object-format=${format}`);
  git("config", "uploadpack.allowAnySHA1InWant", "true");
  const environment = () => ({
    PATH: process.env["PATH"],
    HOME: top,
    RUNNER_TEMP: mkdtempSync(join(top, "machine-")),
  });
  /** Puts a commit of a run at the host. */
  function write(run: string, more: Partial<Step> & { readonly space?: string } = {}): LogCommit {
    const { space = "refs/until-green", ...step } = more;
    const link = writeLogCommit(path, format, {
      ...{ before: undefined, lines: ["{}"], run, epoch: 1, nonce: "n".repeat(32), owner: "other" },
      ...{ at: "2026-01-01T00:00:00Z", work: undefined, artifacts: undefined, sessions: undefined },
      ...{ status: undefined, key: undefined },
      ...step,
    });
    git("update-ref", `${space}/${placeOf(run)}/state`, link.id);
    return link;
  }
  return {
    /** A key for the runs of this host. */
    keyOf: (secret: string): StateKey => ({
      secret,
      repository: path.slice(1, -".git".length).toLowerCase(),
    }),
    top,
    path,
    git,
    write,
    environment,
    remote: () => findRemote({ remote: path, cwd: top, environment: environment() }),
    /** A repository of one machine, for what it fetches. */
    repository: () => bareRepository(mkdtempSync(join(top, "machine-")), "list.git", format),
    /** A store of a machine of its own. */
    open: (more: Partial<Parameters<typeof gitRefStore>[0]> = {}) =>
      gitRefStore({
        ...{ remote: path, cwd: top, environment: environment(), rhythm: { pushMs: 60_000, lookMs: 0 } },
        ...more,
      }),
    refs: () => git("for-each-ref", "--format=%(refname)").split("\n").filter(Boolean),
  };
}
