import type { Fault } from "../../plan/diagnostic.ts";
import type { NamedAgent } from "../../plan/plan.ts";
import type { Files } from "../dialect.ts";
import type { SourcePath } from "../parse-fields.ts";

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
