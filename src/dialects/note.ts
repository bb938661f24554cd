import type { DiagnosticCode, Fault } from "../plan/diagnostic.ts";

type Told = Omit<Fault, "code" | "hint" | "offset"> & {
  readonly hint?: string | undefined;
  readonly offset?: number | undefined;
};

/** Notes a fault of the file that is read. */
export function note(
  { faults }: { readonly faults: Fault[] },
  code: DiagnosticCode,
  { hint, offset, ...told }: Told,
): void {
  const more = { ...(hint === undefined ? {} : { hint }), ...(offset === undefined ? {} : { offset }) };
  faults.push({ code, ...told, ...more });
}
