import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { SessionPlace, Sessions } from "./cli-definition.ts";

interface SessionFiles {
  /** The CLI's own folder. */
  root(session: SessionPlace): string;
  /** Patterns of a session's files below it; other files are not copied. */
  globs(id: string): readonly string[];
  /** Where a file belongs on this machine, if not where it came from; both below the CLI's own folder. */
  belongs?(file: string, session: SessionPlace): string;
  /** A line of a file as it must read on this machine and in this checkout. */
  rebind?(line: string, session: SessionPlace): string;
}

/** Sessions of a CLI that keeps each in files of its own, named after it. */
export function sessionFiles({ root, globs, belongs = (file) => file, rebind }: SessionFiles): Sessions {
  const copy = ({ from, to }: { readonly from: string; readonly to: string }) => {
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    // One that is there already may be a link to somewhere else.
    cpSync(from, to, { force: true, dereference: false });
  };
  return {
    travel: true,
    keep(session) {
      const home = root(session);
      const files = filesIn(home, globs(session.id));
      for (const file of files) copy({ from: join(home, file), to: join(session.folder, file) });
      return files.length > 0;
    },
    isHere: (session) => filesIn(root(session), globs(session.id)).length > 0,
    bring(session) {
      const home = root(session);
      const kept = existsSync(session.folder) ? filesIn(session.folder, globs(session.id)) : [];
      const known = filesIn(home, globs(session.id));
      for (const file of kept) {
        // Recorded files win, except that the CLI's own file continues an interrupted attempt.
        const own = known.find((other) => nameOf(other) === nameOf(file));
        const to = join(home, own ?? belongs(file, session));
        copy({ from: join(session.folder, file), to });
        if (rebind !== undefined) rewriteLines(to, (line) => rebind(line, session));
      }
      return kept.length > 0 || known.length > 0;
    },
  };
}

const rewriteLines = (file: string, rewrite: (line: string) => string) =>
  writeFileSync(file, readFileSync(file, "utf8").split("\n").map(rewrite).join("\n"));

/** Plain files only: a link could name anything on this machine. */
function filesIn(folder: string, globs: readonly string[]): readonly string[] {
  if (!existsSync(folder)) return [];
  return globs
    .flatMap((glob) => globSync(glob, { cwd: folder }))
    .filter(
      (file) =>
        statSync(join(folder, file)).isFile() && !relative(folder, join(folder, file)).startsWith(".."),
    );
}

const nameOf = (file: string) => file.slice(file.lastIndexOf("/") + 1);
