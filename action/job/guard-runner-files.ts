import { lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Environment, removeAll, runnerFileNames, takeAll, unlockPath } from "../../src/api/runs.ts";

/** The file of the event, which later steps and checks read as the truth. */
const event = "GITHUB_EVENT_PATH";

/** Knows the expected content of the runner's files. */
export interface RunnerFiles {
  /** Restores them; returns the names of those that were changed by others. */
  restore(): readonly string[];
  /** Records what `write` writes as the expected content. */
  write(write: () => Promise<void>): Promise<void>;
}

/** Records the current content of these files. */
export function guardRunnerFiles(env: Environment): RunnerFiles {
  const files = [...runnerFileNames, event].flatMap((name) => {
    const path = env[name];
    return path ? [{ name, path, bytes: readBytes(path) }] : [];
  });
  const restore = () => {
    const changed: string[] = [];
    const restoreFile = ({ name, path, bytes }: (typeof files)[number]) => {
      const now = readBytes(path);
      if (now === bytes || (now !== undefined && bytes?.equals(now))) return;
      changed.push(name);
      unlockPath(dirname(path));
      unlockPath(path);
      // Writing through a link would change another file, and a pipe would block forever.
      if (!isPlain(path)) removeAll(path);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes ?? "");
    };
    takeAll(files.map((file) => () => restoreFile(file)));
    return changed;
  };
  return {
    restore,
    async write(write) {
      restore();
      await write();
      for (const file of files) file.bytes = readBytes(file.path);
    },
  };
}

function readBytes(path: string): Buffer | undefined {
  try {
    return isPlain(path) ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

const isPlain = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
