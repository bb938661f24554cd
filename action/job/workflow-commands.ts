import { randomUUID } from "node:crypto";
import { error, notice, setSecret, warning } from "@actions/core";
import { escapeWorkflowCommands, stripControlCharacters } from "../../src/api/github.ts";

/** The log of the job, which its runner scans for workflow commands. */
export interface RunnerLog {
  /** Prints a text that the runner does not obey. */
  say(text: string): void;
  /** Starts a group that GitHub's log page folds; also while commands are stopped. */
  group(title: string): void;
  endGroup(): void;
  /** Shows a message on the run's page, and on a file's line if given. */
  annotate(annotation: Annotation): void;
  /** Makes the runner mask a secret wherever it is printed. */
  mask(secret: string): void;
  /** Runs some work while the runner obeys no commands at all. */
  undisturbed<T>(work: () => Promise<T>): Promise<T>;
}

export interface Annotation {
  readonly level: "error" | "warning" | "notice";
  readonly message: string;
  readonly title?: string;
  /** From the top of the repository; lines and columns from 1. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

export function openRunnerLog(): RunnerLog {
  const write = (text: string) => void process.stdout.write(text);
  // While commands are stopped, the runner would not obey us either.
  let waiting: Annotation[] | undefined;
  return {
    say: (text) => write(`${escapeWorkflowCommands(text)}\n`),
    // The log page reads these two, not the runner: they work while commands are stopped.
    group: (title) =>
      write(`##[group]${escapeWorkflowCommands(stripControlCharacters(title)).replaceAll("\n", " ")}\n`),
    endGroup: () => write("##[endgroup]\n"),
    annotate(annotation) {
      if (waiting === undefined) annotateNow(annotation);
      else waiting.push(annotation);
    },
    mask(secret) {
      // A runner masks line by line, as logs are lines.
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
        // The last output may have left its line open.
        write(`\n::${token}::\n`);
        for (const annotation of waiting) annotateNow(annotation);
        waiting = undefined;
      }
    },
  };
}

const levels = { error, warning, notice };

/** A name of a file, too, may hold what a terminal obeys. */
function annotateNow({ level, message, title, file, line, column }: Annotation): void {
  levels[level](stripControlCharacters(message), {
    ...(title === undefined ? {} : { title: stripControlCharacters(title) }),
    ...(file === undefined ? {} : { file: stripControlCharacters(file) }),
    ...(line === undefined ? {} : { startLine: line }),
    ...(column === undefined ? {} : { startColumn: column }),
  });
}
