import { didYouMean } from "../value-remedy.ts";
import type { ReaderContext } from "./reader-context.ts";

/** Whether an agent of this name can be asked: one the file names, one that ships, or a program or script of the user's. */
export function isAgent(name: string, { agents, files }: Naming): boolean {
  return agents.has(name) || (files.agents?.has(name) ?? true);
}

type Naming = Pick<ReaderContext, "files"> & { readonly agents: ReadonlyMap<string, unknown> };

/** "Did you mean …?" for an agent's name. */
export function nearAgent(name: string, { agents, files }: Naming): string | undefined {
  const all = [...agents.keys(), ...(files.agents?.names ?? [])];
  return didYouMean(name, all) ?? `Known are ${all.join(", ")}, scripted:FILE and command:PROGRAM.`;
}
