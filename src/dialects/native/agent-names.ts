import type { SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { didYouMean } from "../value-remedy.ts";
import type { ReaderContext } from "./reader-context.ts";

/**
 * True if an agent of this name can be called: one that the file defines, a built-in one, or the user's program or
 * script.
 */
export function isAgent(name: string, { agents, files }: Naming): boolean {
  return agents.has(name) || (files.agents?.has(name) ?? true);
}

type Naming = Pick<ReaderContext, "files"> & { readonly agents: ReadonlyMap<string, unknown> };

/** Reports a name that is no agent's. */
export function checkAgent(
  reader: Naming & Pick<ReaderContext, "faults">,
  name: string,
  at: SourcePath,
): void {
  if (isAgent(name, reader)) return;
  const hint = nearAgent(name, reader);
  reportFault(reader, "UNKNOWN_AGENT", { message: `There is no agent \`${name}\`.`, at, hint });
}

/** "Did you mean …?" for an agent's name. */
export function nearAgent(name: string, { agents, files }: Naming): string | undefined {
  const all = [...agents.keys(), ...(files.agents?.names ?? [])];
  return didYouMean(name, all) ?? `Use one of ${all.join(", ")}, scripted:FILE and command:PROGRAM.`;
}
