import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Environment, runnerFileNames } from "../../src/api/runs.ts";

/** A later step takes it for what happened; checks may read it. */
const event = "GITHUB_EVENT_PATH";

/** Knows what the runner's files should contain. */
export interface RunnerFiles {
  /** Restores them; returns the names of those that others had changed. */
  restore(): readonly string[];
  /** Records what `write` writes as their expected content. */
  write(write: () => Promise<void>): Promise<void>;
}

/** Records the current content of these files. */
export function guardRunnerFiles(env: Environment): RunnerFiles {
  const files = [...runnerFileNames, event].flatMap((name) => {
    const path = env[name];
    return path ? [{ name, path, bytes: readBytes(path) }] : [];
  });
  const restore = () =>
    files.flatMap(({ name, path, bytes }) => {
      const now = readBytes(path);
      if (now === bytes || (now !== undefined && bytes?.equals(now))) return [];
      // A link would make us write elsewhere, and a pipe would block for ever.
      if (!isPlain(path)) rmSync(path, { recursive: true, force: true });
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes ?? "");
      return [name];
    });
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
