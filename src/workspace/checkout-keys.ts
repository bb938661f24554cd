import { lstatSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { git, readable } from "../git/git.ts";
import { settingsText } from "../processes/git-config.ts";
import { modulesBelow } from "../processes/git-folders.ts";
import { replaceFile } from "../processes/replace-file.ts";
import { findRepository } from "./repository.ts";

/** Credentials that were removed from a checkout's settings. */
export interface HiddenKeys {
  /** The files that held them. */
  readonly files: readonly string[];
  /** Restores them; may be called twice. */
  putBack(): void;
}

/**
 * Removes the git credentials that `actions/checkout` leaves in the settings of a checkout and its submodules, because
 * a program that reads them can act as the job. They are kept only in this process. If it is killed they are lost, and
 * the next checkout adds new ones.
 */
export async function hideCheckoutKeys(cwd: string): Promise<HiddenKeys> {
  const repository = await findRepository(cwd);
  if (repository === undefined) return { files: [], putBack: () => undefined };
  const { top, commonDir } = repository;
  const held = [...(await keysOf(top, [])), ...(await keysOfModules(top, commonDir))];
  const files = [...new Set(held.map(({ file }) => file))];
  const taken = files.map((file) => ({ file, before: readFileSync(file) }));
  for (const { file, name } of held)
    await git({ cwd, args: ["config", "--file", file, "--unset-all", name], accept: [0, 5] });
  const left = taken.map((one) => ({ ...one, after: readFileSync(one.file) }));
  let isBack = files.length === 0;
  const putBack = () => {
    if (isBack) return;
    isBack = true;
    process.removeListener("exit", putBack);
    for (const { file, before, after } of left) {
      try {
        giveBack(file, { before, after, held });
      } catch {
        // If they cannot be restored, a later step's push fails, but not this run.
      }
    }
  };
  if (!isBack) process.once("exit", putBack);
  return { files, putBack };
}

interface Held {
  readonly file: string;
  readonly name: string;
  readonly value: string;
}

/** Keeps other changes to the file. If it was replaced by a link or removed, no credentials are written. */
function giveBack(
  file: string,
  {
    before,
    after,
    held,
  }: { readonly before: Buffer; readonly after: Buffer; readonly held: readonly Held[] },
): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return;
  const now = readFileSync(file);
  const ownKeys = held.filter((one) => one.file === file).map(({ name, value }) => [name, value] as const);
  const added = Buffer.concat([now, Buffer.from(`\n${settingsText(ownKeys)}`)]);
  replaceFile(file, now.equals(after) ? before : added, lstatSync(file).mode & 0o777);
}

/** The credentials in a checkout's settings, or in one settings file, with the files they come from. */
async function keysOf(top: string, where: readonly string[]): Promise<readonly Held[]> {
  const args = ["config", ...where, "--includes", "--list", "--show-origin", "-z"];
  // Paths inside the checkout are relative to its top.
  const { out } = await git({ cwd: top, args, accept: [0, 1] });
  const fields = readable(out).split("\0");
  return fields.flatMap((origin, at) => {
    const [, name = "", value = ""] = /^([^\n]+)\n([\s\S]*)$/.exec(fields[at + 1] ?? "") ?? [];
    const isKey = /^http\.(.+\.)?extraheader$/.test(name) && /^authorization:/i.test(value);
    const file = /^file:(.+)$/s.exec(origin)?.[1];
    return at % 2 === 0 && isKey && file !== undefined ? [{ file: resolve(top, file), name, value }] : [];
  });
}

async function keysOfModules(top: string, commonDir: string): Promise<readonly Held[]> {
  const keys: Held[] = [];
  for (const own of modulesBelow(join(commonDir, "modules")))
    keys.push(...(await keysOf(top, ["--file", join(own, "config")])));
  return keys;
}
