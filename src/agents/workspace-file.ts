import { mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { readRegularBytes } from "../processes/regular-file.ts";

/**
 * Writes a file of a workspace, and creates its folders. Throws if the path leads outside, even by a symbolic link.
 */
export async function writeInside(workspace: string, path: string, text: string): Promise<void> {
  const file = resolve(workspace, path);
  await keepInside(workspace, { path, file });
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** The real path of a file in a workspace. Throws if it leads outside, even by a symbolic link. */
export async function placeInside(workspace: string, path: string): Promise<string> {
  const file = resolve(workspace, path);
  await keepInside(workspace, { path, file });
  return file;
}

/** The text of a file of a workspace. Throws if there is none, or if the path leads outside. */
export async function readInside(workspace: string, path: string): Promise<string> {
  const file = await realpath(await placeInside(workspace, path));
  const bytes = readRegularBytes(file, workspace);
  if (bytes === undefined) throw new Error(`${path} is no file of the workspace, or larger than 32 MiB`);
  return bytes.toString("utf8");
}

/** Removes a file or folder of a workspace; of a link, only the link. A missing one is not an error. */
export async function deleteInside(workspace: string, path: string): Promise<void> {
  const file = resolve(workspace, path);
  await keepInside(workspace, { path, file: dirname(file) });
  if (file === resolve(workspace)) throw new Error(`${path} is the workspace itself`);
  await rm(file, { recursive: true, force: true });
}

async function keepInside(
  workspace: string,
  { path, file }: { readonly path: string; readonly file: string },
): Promise<void> {
  const below = relative(await realpath(workspace), await realplace(file));
  if (below === ".." || below.startsWith("../") || isAbsolute(below))
    throw new Error(`${path} leaves the workspace`);
}

/** The real path of a file that may not exist yet. */
async function realplace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    return join(await realplace(dirname(path)), path.slice(dirname(path).length + 1));
  }
}
