import { cpSync, existsSync, globSync, lstatSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { homesFolder } from "../../ports/agent.ts";
import { makeFolder, makeOwnFolders } from "../../processes/make-folder.ts";
import { readRegularFile } from "../../processes/regular-file.ts";
import { replaceFile } from "../../processes/replace-file.ts";
import type { SessionPlace, Sessions } from "./cli-definition.ts";

interface SessionFiles {
  /** Patterns of a session's files, relative to the program's folder; other files are not copied. */
  globs(id: string): readonly string[];
  /** The path of a file on this machine, if it differs; both relative to the program's folder. */
  belongs?(file: string, session: SessionPlace): string;
  /** Adapts a line of a file to this machine and checkout. */
  rebind?(line: string, session: SessionPlace): string;
}

/** Sessions of a program that stores each one in its own files, named by its id. */
export function sessionFiles({ globs, belongs = (file) => file, rebind }: SessionFiles): Sessions {
  const copy = ({ from, to }: { readonly from: string; readonly to: string }, artifacts: string) => {
    makeFolders(dirname(to), artifacts);
    // An existing target may be a link to another place.
    cpSync(from, to, { force: true, dereference: false });
  };
  return {
    travel: true,
    keep(session) {
      const { home } = session;
      const files = filesIn(home, globs(session.id));
      for (const file of files)
        copy({ from: join(home, file), to: join(session.folder, file) }, session.artifacts);
      return files.length > 0;
    },
    isHere: (session) => filesIn(session.home, globs(session.id)).length > 0,
    bring(session) {
      const { home } = session;
      const kept = existsSync(session.folder) ? filesIn(session.folder, globs(session.id)) : [];
      const known = filesIn(home, globs(session.id));
      for (const file of kept) {
        // Recorded files take precedence, except that the program's own file continues an interrupted attempt.
        const own = known.find((other) => nameOf(other) === nameOf(file));
        const to = join(home, own ?? belongs(file, session));
        copy({ from: join(session.folder, file), to }, session.artifacts);
        if (rebind !== undefined) rewriteLines(to, (line) => rebind(line, session));
      }
      return kept.length > 0 || known.length > 0;
    },
  };
}

/** In the private folder, a link could have replaced one of these folders and lead elsewhere. */
function makeFolders(folder: string, artifacts: string): void {
  const below = relative(artifacts, folder);
  if (below.startsWith(`${homesFolder}/`)) makeOwnFolders(artifacts, below);
  else makeFolder(folder, 0o700);
}

function rewriteLines(file: string, rewrite: (line: string) => string): void {
  const text = readRegularFile(file);
  if (text !== undefined) replaceFile(file, text.split("\n").map(rewrite).join("\n"), 0o600);
}

/** Regular files inside this folder only: a link could point to anything on this machine. */
function filesIn(folder: string, globs: readonly string[]): readonly string[] {
  if (!existsSync(folder)) return [];
  const real = realpathSync(folder);
  return globs
    .flatMap((glob) => globSync(glob, { cwd: folder }))
    .filter(
      (file) =>
        lstatSync(join(folder, file)).isFile() && realpathSync(join(folder, file)).startsWith(`${real}/`),
    );
}

/** The folder name of a checkout's sessions, as Claude Code and others derive it. */
export const projectOf = (workspace: string): string => workspace.replace(/[^A-Za-z0-9]/g, "-");

/** A name in lowercase words with hyphens, without characters matched by `others`. */
export function slugOf(
  name: string,
  { others = /[^a-z0-9]+/g, most = Number.POSITIVE_INFINITY } = {},
): string {
  const trimmed = (text: string) => text.replace(/^-+|-+$/g, "");
  return trimmed(trimmed(name.toLowerCase().replace(others, "-")).slice(0, most));
}

/** Replaces the folder of a conversation in a line by this checkout's. */
export const inFolder = (line: string, { workspace }: SessionPlace): string =>
  line.replace(/"cwd":"(?:[^"\\]|\\.)*"/, () => `"cwd":${JSON.stringify(workspace)}`);

/** The last part of a path. */
export const nameOf = (file: string) => file.slice(file.lastIndexOf("/") + 1);
