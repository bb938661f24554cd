import { randomUUID } from "node:crypto";
import { error, notice, setSecret, warning } from "@actions/core";
import { escapeWorkflowCommands, stripControlCharacters } from "../../src/api/github.ts";

/** The job's log, which the runner scans for workflow commands. */
export interface RunnerLog {
  /** Prints a text in which the runner finds no commands. */
  say(text: string): void;
  /** Starts a foldable group in GitHub's log page; works even while commands are stopped. */
  group(title: string): void;
  endGroup(): void;
  /** Adds an annotation to the run's page, and to a line of a file if given. */
  annotate(annotation: Annotation): void;
  /** Masks a secret everywhere in the log. */
  mask(secret: string): void;
  /** Runs some work while the runner ignores all commands. */
  undisturbed<T>(work: () => Promise<T>): Promise<T>;
}

export interface Annotation {
  readonly level: "error" | "warning" | "notice";
  readonly message: string;
  readonly title?: string;
  /** Path relative to the top of the repository; lines and columns counted from 1. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** An annotation by until-green itself. */
export const annotation = (level: Annotation["level"], message: string, about?: string): Annotation => ({
  level,
  title: about === undefined ? "until-green" : `until-green: ${about}`,
  message,
});

/** A list of paths, formatted for a message. */
export const few = (paths: readonly string[]) =>
  paths.slice(0, 5).join(", ") + (paths.length > 5 ? ` and ${paths.length - 5} more` : "");

export function openRunnerLog(): RunnerLog {
  const write = (text: string) => void process.stdout.write(text);
  // While commands are stopped, the runner would ignore ours too.
  let waiting: Annotation[] | undefined;
  return {
    say: (text) => write(`${escapeWorkflowCommands(text)}\n`),
    // These two are interpreted by the log page, not by the runner: they work while commands are stopped.
    group: (title) =>
      write(`##[group]${escapeWorkflowCommands(stripControlCharacters(title)).replaceAll("\n", " ")}\n`),
    endGroup: () => write("##[endgroup]\n"),
    annotate(annotation) {
      if (waiting === undefined) annotateNow(annotation);
      else waiting.push(annotation);
    },
    mask(secret) {
      // The runner masks line by line.
      const parts = [secret, ...secret.split(/\r?\n/)].filter((part) => part.trim() !== "");
      for (const part of new Set(parts)) setSecret(part);
    },
    async undisturbed(work) {
      const token = randomUUID();
      write(`::stop-commands::${token}\n`);
      waiting = [];
      try {
        return await work();
      } finally {
        // The previous output may not end with a line break.
        write(`\n::${token}::\n`);
        for (const annotation of waiting) annotateNow(annotation);
        waiting = undefined;
      }
    },
  };
}

const levels = { error, warning, notice };

/** A file name may also contain terminal sequences. */
function annotateNow({ level, message, title, file, line, column }: Annotation): void {
  levels[level](stripControlCharacters(message), {
    ...(title === undefined ? {} : { title: stripControlCharacters(title) }),
    ...(file === undefined ? {} : { file: stripControlCharacters(file) }),
    ...(line === undefined ? {} : { startLine: line }),
    ...(column === undefined ? {} : { startColumn: column }),
  });
}
