import { randomUUID } from "node:crypto";
import { forRunner, plain } from "../../src/index.ts";

/** The log of the job, which its runner reads for commands. */
export interface RunnerLog {
  /** Prints a text of which the runner obeys nothing. */
  say(text: string): void;
  /** Shows a message on the run's page, and on a file's line where there is one. */
  annotate(annotation: Annotation): void;
  /** Has the runner hide a secret wherever it is printed. */
  mask(secret: string): void;
  /** Does some work while the runner obeys no command at all, whoever prints one. */
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

export function openRunnerLog(write: (text: string) => void): RunnerLog {
  // While the runner obeys nobody, it would not hear us either.
  let waiting: string[] | undefined;
  return {
    say: (text) => write(`${forRunner(text)}\n`),
    annotate(annotation) {
      const text = annotationText(annotation);
      if (waiting === undefined) write(text);
      else waiting.push(text);
    },
    mask(secret) {
      // A runner hides what it was told line by line, as logs come in lines.
      const parts = [secret, ...secret.split(/\r?\n/)].filter((part) => part.trim() !== "");
      for (const part of new Set(parts)) write(`::add-mask::${asData(part)}\n`);
    },
    async undisturbed(work) {
      const token = randomUUID();
      write(`::stop-commands::${token}\n`);
      waiting = [];
      try {
        return await work();
      } finally {
        // Whatever was printed last may have left its line open.
        write(`\n::${token}::\n${waiting.join("")}`);
        waiting = undefined;
      }
    },
  };
}

function annotationText({ level, message, title, file, line, column }: Annotation): string {
  const properties = Object.entries({ file, line, col: column, title }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${asProperty(plain(String(value)))}`],
  );
  const about = properties.length === 0 ? "" : ` ${properties.join(",")}`;
  return `::${level}${about}::${asData(plain(message))}\n`;
}

const asData = (text: string) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const asProperty = (text: string) => asData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
