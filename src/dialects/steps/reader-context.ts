import type { Fault } from "../../plan/diagnostic.ts";
import type { NamedAgent } from "../../plan/plan.ts";
import type { Files } from "../dialect.ts";
import type { SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";

/** The state of reading one file. */
export interface ReaderContext {
  readonly faults: Fault[];
  readonly calls: {
    readonly workflow: string;
    readonly at: SourcePath;
    readonly hint?: string | undefined;
  }[];
  readonly files: Files;
  readonly agents: ReadonlyMap<string, NamedAgent>;
  /** Sub-workflows, by their names in the file. */
  readonly includes: Readonly<Record<string, string>>;
  readonly options: Options;
}

interface Options {
  /** Maximum parallel nodes in each graph. */
  readonly atMost: number;
  /** Maximum parallel items, if the file limits the whole run. */
  readonly itemsAtMost: number | undefined;
  readonly stepTimeoutMs: number | undefined;
}

/** Warns about keys that are known but ignored. */
export function warnOfUseless(
  reader: Pick<ReaderContext, "faults">,
  {
    keys,
    object,
    at,
  }: { readonly keys: readonly string[]; readonly object: object; readonly at: SourcePath },
): void {
  for (const key of keys.filter((it) => Object.hasOwn(object, it))) {
    const message = `\`${key}\` has no effect: the agent's program decides that.`;
    reportFault(reader, "IGNORED_FIELD", { message, at: [...at, key], onKey: true, warning: true });
  }
}
