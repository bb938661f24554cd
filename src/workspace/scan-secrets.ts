import { git, readable } from "../git/git.ts";
import { readObjects } from "../git/objects.ts";
import { searchFor } from "./secret-search.ts";

interface Publication {
  /** The private repository. */
  readonly gitDir: string;
  /** The commit to be published, and its base. */
  readonly tip: string;
  readonly onto: string;
  readonly secrets: readonly string[];
}

/** The files that contain a known secret, in any of the commits to be published. */
export async function findSecretsInCommits({
  gitDir,
  tip,
  onto,
  secrets,
}: Publication): Promise<readonly string[]> {
  if (secrets.length === 0) return [];
  const { out } = await git({ cwd: gitDir, args: ["rev-list", "--objects", tip, `^${onto}`] });
  const objects = out.split("\n").flatMap((row) => {
    const [, id = "", path = ""] = /^(\S+) ?(.*)$/.exec(row) ?? [];
    return id === "" ? [] : [{ id, path: readable(path) }];
  });
  const bodies = await readObjects(
    gitDir,
    objects.map(({ id }) => id),
  );
  const holds = searchFor(secrets);
  const leaks = objects.filter((_, at) => holds(bodies[at] ?? Buffer.of()));
  return [...new Set(leaks.map(({ path }) => path || "the message of a commit"))];
}
