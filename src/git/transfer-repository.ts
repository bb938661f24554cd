import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { makeTempFolder, ownFolder } from "../processes/temp-folder.ts";
import { bareSettings } from "./bare-repository.ts";

/** A repository for one exchange with a host: the objects of another, and none of its settings. */
export interface TransferRepository {
  readonly dir: string;
  /** The environment git needs to work there. */
  readonly env: Readonly<Record<string, string>>;
  /** Keeps the list of shallow commits, and removes the rest. */
  close(): void;
}

/**
 * Creates a repository that programs behind the file wall cannot reach, with an unpredictable path for the others. Agents
 * run as our user and can write into the private ones; a proxy, a helper or another address in their settings would
 * receive our credentials.
 */
export function openTransferRepository(gitDir: string): TransferRepository {
  const dir = makeTempFolder("exchange", ownFolder());
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

/** A git working there reads one or the other, never half of it. */
function putInPlace(from: string, to: string): void {
  const anew = `${to}.${process.pid}`;
  copyFileSync(from, anew);
  renameSync(anew, to);
}

/** Only the object format of the other repository's settings: without it objects could not be read. */
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
