import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bareSettings } from "./bare.ts";

/** A repository for one exchange with a host: the objects of another, and none of its settings. */
export interface Exchange {
  readonly dir: string;
  /** What git must find in its environment to work there. */
  readonly env: Readonly<Record<string, string>>;
  /** Keeps where history was cut off, and removes the rest. */
  close(): void;
}

/**
 * Opens a repository that nobody knew of a moment ago. Whoever runs as our user, as agents do, can write into the
 * private ones, and a proxy, a helper or another address in their settings would be told our key.
 */
export function openExchange(gitDir: string): Exchange {
  const dir = mkdtempSync(join(tmpdir(), "until-green-exchange-"));
  mkdirSync(join(dir, "refs"));
  writeFileSync(join(dir, "HEAD"), "ref: refs/heads/none\n");
  writeFileSync(join(dir, "config"), settingsFor(gitDir));
  const [theirs, ours] = [join(gitDir, "shallow"), join(dir, "shallow")];
  if (existsSync(theirs)) copyFileSync(theirs, ours);
  return {
    dir,
    env: { GIT_DIR: dir, GIT_OBJECT_DIRECTORY: join(gitDir, "objects") },
    close() {
      if (existsSync(ours)) putInPlace(ours, theirs);
      else rmSync(theirs, { force: true });
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A git at work there reads the one or the other, and never half of it. */
function putInPlace(from: string, to: string): void {
  const anew = `${to}.${process.pid}`;
  copyFileSync(from, anew);
  renameSync(anew, to);
}

/** Of the other's settings only how objects are named: without that they could not be read. */
function settingsFor(gitDir: string): string {
  const isLong = /^\s*objectformat\s*=\s*sha256\s*$/im.test(readFileSync(join(gitDir, "config"), "utf8"));
  return bareSettings(isLong ? "sha256" : "sha1");
}

/** Settings as git reads them from its environment. */
export function inEnvironment(
  settings: readonly (readonly [name: string, value: string])[],
): Readonly<Record<string, string>> {
  const numbered = settings.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, name],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { ...Object.fromEntries(numbered), GIT_CONFIG_COUNT: String(settings.length) };
}
