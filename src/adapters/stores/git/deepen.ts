import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Remote, RemoteError } from "./remote.ts";
import { fetchObjects } from "./remote-calls.ts";

/** What a host says that has lost sight of the commit a shallow history begins with, as its branch was moved elsewhere. */
export const isCutOff = (said: string) => /shallow update not allowed/i.test(said);

/** Brings a repository the history below the commits it was cut off at; answers whether there was any to bring. */
export async function deepen(remote: Remote, gitDir: string): Promise<boolean> {
  const cuts = cutsOf(gitDir);
  if (cuts.length === 0) return false;
  try {
    await fetchObjects(remote, { gitDir, what: cuts, options: ["--unshallow"] });
  } catch (error) {
    if (error instanceof RemoteError) return false;
    throw error;
  }
  appendFileSync(join(gitDir, deepened), cuts.map((commit) => `${commit}\n`).join(""));
  return true;
}

/** The commits a repository's history is cut off at. */
export const cutsOf = (gitDir: string) => linesOf(join(gitDir, "shallow"));

/** Those at which it was once, and is no more: repositories it borrows from still say so. */
export const deepenedIn = (gitDir: string) => linesOf(join(gitDir, deepened));

const deepened = "deepened";

const linesOf = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
