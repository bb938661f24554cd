import { z } from "zod";
import { defined } from "../../ports/defined.ts";
import { type IsolationMode, isolationModes, type WallSettings } from "../../ports/isolation.ts";
import { faultOfHost } from "../../ports/network.ts";
import { faultOfPlace } from "../../ports/places.ts";

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

const places = z.array(z.string()).superRefine((entries, context) => {
  for (const [at, entry] of entries.entries()) {
    const message = faultOfPlace(entry);
    if (message !== undefined) context.issues.push({ code: "custom", message, input: entry, path: [at] });
  }
});

/** Further paths that programs of a workflow may read or write. */
export const placeFields = { show: places, write: places };

interface Keys {
  /** On a node that calls workflows, the key may mean worktrees instead. */
  readonly isolation?: IsolationMode | "inherit" | "worktree" | undefined;
  readonly network?: readonly string[] | undefined;
  readonly show?: readonly string[] | undefined;
  readonly write?: readonly string[] | undefined;
}

/** The isolation settings of a file, node or check, if any. */
export function wallsIn({ isolation: wanted, network, show, write }: Keys): {
  readonly walls?: WallSettings;
} {
  const isolation = isolationModes.find((mode) => mode === wanted);
  const walls = defined({ isolation, network, show, write });
  return Object.keys(walls).length === 0 ? {} : { walls };
}
