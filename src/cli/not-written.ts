import { dirname } from "node:path";
import { diskFault, fileFault, isFull } from "../ports/disk-fault.ts";
import { UsageError } from "./exit.ts";

/** Says why a file that a command was asked for cannot be written, and what to do. `path` if `what` does not name it. */
export function notWritten(what: string, error: unknown, path?: string): UsageError {
  const place = path === undefined ? "" : ` for ${path}`;
  const code = String((error as NodeJS.ErrnoException).code);
  if (code === "ENOENT")
    return new UsageError(
      `${what} cannot be written: there is no folder ${dirname(path ?? what)}; create it first`,
    );
  const { message } = isFull(error)
    ? { message: `no space is left${place} (${code}); free some space, then repeat the command` }
    : (diskFault(error) ?? fileFault(error) ?? (error as Error));
  return new UsageError(`${what} cannot be written: ${message}`);
}
