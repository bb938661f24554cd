import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Remote, RemoteError } from "./remote.ts";
import { fetchObjects } from "./remote-calls.ts";

/** The host's error for a shallow history whose oldest commit it no longer has, because its branch was moved. */
export const isCutOff = (text: string) => /shallow update not allowed/i.test(text);

/** Fetches the missing history of a shallow repository; returns false if it is not shallow or the host failed. */
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

/** The commits at which a shallow repository is cut off. */
export const cutsOf = (gitDir: string) => linesOf(join(gitDir, "shallow"));

/** Commits at which it was cut off before: repositories it borrows objects from still list them as shallow. */
export const deepenedIn = (gitDir: string) => linesOf(join(gitDir, deepened));

const deepened = "deepened";

const linesOf = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
