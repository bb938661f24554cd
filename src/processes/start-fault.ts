import { existsSync } from "node:fs";
import { tmpdir } from "node:os";

/** Why a program did not start, as a sentence for people. */
export function startFault(
  error: NodeJS.ErrnoException,
  { command, cwd }: { readonly command: string; readonly cwd: string },
): { readonly code: string; readonly message: string } {
  const code = error.code ?? "UNKNOWN";
  if (code === "ENOENT" && !existsSync(cwd)) return { code, message: `the folder ${cwd} does not exist` };
  return {
    code,
    message:
      sentences[code]?.(command) ??
      `${command} could not be started: ${error.message.slice(0, mostOfMessage)}`,
  };
}

/** Characters. A message may contain a whole argument, even a prompt. */
const mostOfMessage = 200;

const noRoom = (command: string) =>
  `${command} was not started: ${tmpdir()} has no space for its prompt; free some space, then resume the run`;

const sentences: Readonly<Record<string, (command: string) => string>> = {
  ENOENT: (command) => `${command} is not installed, or not on PATH`,
  EACCES: (command) => `${command} is not executable; make it executable (chmod +x)`,
  E2BIG: (command) => `${command} could not be started: its arguments and environment are too large`,
  ENOSPC: noRoom,
  EDQUOT: noRoom,
  EFBIG: noRoom,
  EAGAIN: (command) => `${command} could not be started: too many processes are running`,
};
