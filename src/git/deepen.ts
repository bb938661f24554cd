import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Remote, RemoteError } from "./remote.ts";
import { fetchObjects } from "./remote-calls.ts";

/** The host's error for a shallow history whose oldest commit it no longer has, because the branch was moved. */
export const isCutOff = (text: string) => /shallow update not allowed/i.test(text);

/** Fetches the history below the commits where a repository was cut off; returns whether there was any. */
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

/** The commits at which a repository's history is cut off. */
export const cutsOf = (gitDir: string) => linesOf(join(gitDir, "shallow"));

/** Commits at which it once was cut off: repositories it borrows objects from still say so. */
export const deepenedIn = (gitDir: string) => linesOf(join(gitDir, deepened));

const deepened = "deepened";

const linesOf = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
