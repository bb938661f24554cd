import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Environment } from "../../src/index.ts";

/** The files through which this step speaks to its runner; agents and checks have no business in them. */
const names = ["GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"];

/** Remembers what these files hold; the answer puts them back as they were, and says which had been changed. */
export function guardRunnerFiles(env: Environment): () => readonly string[] {
  const before = names.flatMap((name) => {
    const path = env[name];
    return path ? [{ name, path, bytes: readBytes(path) }] : [];
  });
  return () =>
    before.flatMap(({ name, path, bytes }) => {
      const now = readBytes(path);
      if (now === bytes || (now !== undefined && bytes?.equals(now))) return [];
      // A link would have us write elsewhere, and at a pipe we would wait for ever.
      if (!isPlain(path)) rmSync(path, { recursive: true, force: true });
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes ?? "");
      return [name];
    });
}

function readBytes(path: string): Buffer | undefined {
  try {
    return isPlain(path) ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

const isPlain = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
