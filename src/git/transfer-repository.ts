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

/** A repository for one exchange with a host: it has the objects of another one, but none of its settings. */
export interface TransferRepository {
  readonly dir: string;
  /** The environment git needs to work there. */
  readonly env: Readonly<Record<string, string>>;
  /** Saves the list of shallow commits, and removes the rest. */
  close(): void;
}

/**
 * Creates a repository that programs behind the file wall cannot reach, and whose path other programs cannot guess.
 * Agents run as the same user and can write to the other repositories: a proxy, a helper or another address in their
 * settings would receive the credentials.
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

/** Replaces the file atomically: a git process reads the old list or the new one, never a part. */
function putInPlace(from: string, to: string): void {
  const draft = `${to}.${process.pid}`;
  copyFileSync(from, draft);
  renameSync(draft, to);
}

/** Takes over only the object format, without which git could not read the objects. */
function settingsFor(gitDir: string): string {
  const isLong = /^\s*objectformat\s*=\s*sha256\s*$/im.test(readFileSync(join(gitDir, "config"), "utf8"));
  return bareSettings(isLong ? "sha256" : "sha1");
}

/** Settings in the form in which git reads them from its environment. */
export function inEnvironment(
  settings: readonly (readonly [name: string, value: string])[],
): Readonly<Record<string, string>> {
  const numbered = settings.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, name],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { ...Object.fromEntries(numbered), GIT_CONFIG_COUNT: String(settings.length) };
}
