import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { env } from "node:process";

const root = resolve(import.meta.dirname, "../..");
const cache = join(root, "node_modules/.cache/until-green");

/** The variable that tells the workers of vitest where the programs are. */
const variable = "UNTIL_GREEN_BUILT";

/**
 * The folder with `dist/`, built from the sources as they are now. Programs start from there, as users start them, and
 * twice as fast as from the sources. The global setup of the tests builds it, once for each state of the sources.
 */
export function built(...path: readonly string[]): string {
  const folder = env[variable];
  if (folder === undefined)
    throw new Error("this project of vitest.config.ts lacks the global setup `built.ts`");
  return join(folder, ...path);
}

/** The command line, as a file for Node. */
export const builtCommandLine = (): string => built("dist/until-green.js");

/** Vitest's global setup. */
export async function setup(): Promise<void> {
  const folder = join(cache, keyOf(root));
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    removeOld();
    // In a folder of its own until it is whole: two runs of vitest may build at the same time.
    const made = mkdtempSync(join(cache, "new-"));
    // Tests of escapes start it as another user.
    chmodSync(made, 0o755);
    const { build } = await import("../../scripts/build.ts");
    await build(join(made, "dist"));
    writeFileSync(join(made, "package.json"), '{"type":"module"}');
    try {
      renameSync(made, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
      rmSync(made, { recursive: true, force: true });
    }
  }
  env[variable] = folder;
}

/** Removes builds that no running test can use any more. */
function removeOld(): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    if (Date.now() - statSync(path).mtimeMs > 86_400_000) rmSync(path, { recursive: true, force: true });
  }
}

/** Changes with each file that a build reads. */
function keyOf(folder: string): string {
  const hash = createHash("sha256");
  const sources = ["{src,action,app,tools/convert}/**/*", "scripts/{build,notices}.ts", "package*.json"];
  for (const file of globSync(sources, { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort())
    hash.update(`${file}\0`).update(readFileSync(file)).update("\0");
  return hash.digest("hex").slice(0, 16);
}
