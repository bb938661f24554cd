import { z } from "zod";
import { defined } from "../../ports/defined.ts";
import { type IsolationMode, isolationModes, type WallSettings } from "../../ports/isolation.ts";
import { faultOfHost } from "../../ports/network.ts";

/** Hosts that programs may reach; `none` is the empty list. */
const hosts = z
  .union([z.literal("none").transform((): string[] => []), z.array(z.string())])
  .superRefine((entries, context) => {
    for (const [at, entry] of entries.entries()) {
      const message = faultOfHost(entry);
      if (message !== undefined) context.issues.push({ code: "custom", message, input: entry, path: [at] });
    }
  });

/** The isolation of programs. */
export const wallFields = { isolation: z.enum(isolationModes), network: hosts };

interface Keys {
  /** On a node that calls workflows, the key may mean worktrees instead. */
  readonly isolation?: IsolationMode | "inherit" | "worktree" | undefined;
  readonly network?: readonly string[] | undefined;
}

/** The isolation settings of a file, node or check, if any. */
export function wallsIn({ isolation: wanted, network }: Keys): { readonly walls?: WallSettings } {
  const isolation = isolationModes.find((mode) => mode === wanted);
  if (isolation === undefined && network === undefined) return {};
  return {
    walls: defined({ isolation, network }),
  };
}
