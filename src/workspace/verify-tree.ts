import { readable } from "../git/git.ts";
import { folderMode, formatOf, objectId, readObjects } from "../git/objects.ts";

/** A file in a commit. */
export interface ProvenFile {
  readonly path: string;
  readonly mode: string;
  readonly object: string;
}

/** A commit's files never change, so each commit is verified only once. */
const proved = new Map<string, Promise<readonly ProvenFile[]>>();

/**
 * All files of a commit, verified from the commit down: git trusts the bytes that are stored under an id, and an agent
 * may have replaced them. Throws if they do not match.
 */
export function provenFiles(gitDir: string, commit: string): Promise<readonly ProvenFile[]> {
  const key = `${gitDir} ${commit}`;
  const files = proved.get(key) ?? readFiles(gitDir, commit);
  proved.set(key, files);
  files.catch(() => proved.delete(key));
  return files;
}

async function readFiles(gitDir: string, commit: string): Promise<readonly ProvenFile[]> {
  const [head] = await readObjects(gitDir, [commit]);
  const tree = /^tree (\S+)$/m.exec(assured(head, { kind: "commit", name: commit }).toString("latin1"))?.[1];
  const files: ProvenFile[] = [];
  let folders = [{ path: "", object: tree ?? "" }];
  while (folders.length > 0) {
    const bodies = await readObjects(
      gitDir,
      folders.map(({ object }) => object),
    );
    const entries = folders.flatMap(({ path, object }, at) =>
      entriesOf(assured(bodies[at], { kind: "tree", name: object }), object.length / 2).map((entry) => ({
        ...entry,
        path: `${path}${entry.path}`,
      })),
    );
    files.push(...entries.filter(({ mode }) => mode !== folderMode));
    folders = entries
      .filter(({ mode }) => mode === folderMode)
      .map(({ path, object }) => ({ path: `${path}/`, object }));
  }
  return files;
}

function assured(
  body: Buffer | undefined,
  { kind, name }: { readonly kind: "commit" | "tree"; readonly name: string },
): Buffer {
  if (body !== undefined && objectId(formatOf(name), kind, body) === name) return body;
  throw new Error(
    `git's ${kind} ${name.slice(0, 12)} is gone, or is not what it was: its objects were rewritten`,
  );
}

function entriesOf(tree: Buffer, width: number): readonly ProvenFile[] {
  const entries: ProvenFile[] = [];
  for (let at = 0; at < tree.length; ) {
    const blank = tree.indexOf(0x20, at);
    const end = tree.indexOf(0, blank);
    const path = readable(tree.toString("latin1", blank + 1, end));
    const object = tree.toString("hex", end + 1, end + 1 + width);
    entries.push({ mode: tree.toString("latin1", at, blank), path, object });
    at = end + 1 + width;
  }
  return entries;
}
