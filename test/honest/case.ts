import type { Played } from "../forgeries/loop.ts";
import { projects } from "../forgeries/projects.ts";

/**
 * A small project, the work of an agent in it, and the check of its loop. The work may run twice in the same checkout:
 * the loop has two iterations.
 */
export interface Case {
  readonly title: string;
  readonly files: Played["files"];
  readonly check: string;
  /** Bash. */
  readonly agent: string;
  /** The program that must be there. */
  readonly needs: string;
  /** Lines of the loop in place of `check: { baseline: true }`. */
  readonly keys?: string;
  readonly prepare?: Played["prepare"];
  readonly tools?: Played["tools"];
}

type Extra = Partial<Pick<Case, "files" | "check" | "needs" | "keys" | "prepare" | "tools">>;

/** Cases in one of the projects of the forgeries: with its fix and more, and with other files beside or instead. */
export function inProject(name: string) {
  const project = projects.find((one) => one.name === name);
  if (project === undefined) throw new Error(`there is no project ${name}`);
  const { check, needs, files, fix } = project;
  return (title: string, also: string, extra: Extra = {}): Case => ({
    title,
    check,
    needs,
    agent: `${fix}\n${also}`,
    ...extra,
    files: { ...files, ...extra.files },
  });
}

/** Cases in such a project whose agent does something else instead of the fix. */
export function unmended(name: string) {
  const make = inProject(name);
  return (title: string, agent: string, extra: Extra = {}): Case => ({ ...make(title, "", extra), agent });
}

/** A case in a project of its own, whose check any machine with bash and Node can run. */
export const own = (title: string, rest: Omit<Case, "title" | "needs"> & Extra): Case => ({
  title,
  needs: "bash",
  ...rest,
});

/** What a recorded tool prints and how it ends, before and after the work. */
export interface Recording {
  readonly tool: string;
  readonly check: string;
  /** Bash that is true once the work is done; default: the source adds. */
  readonly when?: string;
  readonly red: string;
  readonly green: string;
  /** The exit code of the red run. */
  readonly code?: number;
  /** Bash before the tool prints. */
  readonly first?: string;
  readonly files?: Played["files"];
  readonly agent?: string;
  readonly keys?: string;
  readonly prepare?: Played["prepare"];
}

const source = { "src/add.txt": "a - b\n" };
const fixed = "grep -q 'a + b' src/add.txt";
export const fix = "sed -i 's/a - b/a + b/' src/add.txt";

/** A case whose tool is a script that prints what the real one printed. */
export function recorded(title: string, recording: Recording): Case {
  const { tool, check, when = fixed, red, green, code = 1, first = "", files, agent = "" } = recording;
  const said = (text: string) => `cat <<'SAID'\n${text}\nSAID`;
  return {
    title,
    check,
    needs: "bash",
    files: { ...source, ...files },
    agent: `${fix}\n${agent}`,
    tools: { [tool]: `${first}\nif ${when}; then\n${said(green)}\nelse\n${said(red)}\nexit ${code}\nfi` },
    ...(recording.keys === undefined ? {} : { keys: recording.keys }),
    ...(recording.prepare === undefined ? {} : { prepare: recording.prepare }),
  };
}

/** A Python whose packages come from nowhere, for projects that list requirements: tests reach no index. */
export const withoutIndex = (one: Case): Case => ({
  ...one,
  tools: { ...one.tools, python3: '[ "$2" = venv ] && mkdir -p "$3/bin" && touch "$3/bin/activate"\nexit 0' },
});
