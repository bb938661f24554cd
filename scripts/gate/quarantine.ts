import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";

/** A test that fails now and then, and does not block for a few days. */
const entrySchema = z.strictObject({
  file: z.string(),
  test: z.string(),
  reason: z.string().min(10),
  /** The day on which it was put there. */
  date: z.iso.date(),
});
export type Quarantined = z.infer<typeof entrySchema>;

const days = 7;

/** Security, contract and unit tests decide what may land. Only long tests of whole programs may wait. */
const mayWait = /^test\/(action|app|cli|examples)\/.*\.(long|nightly)\.test\.ts$/;

/** Reads `quarantine.json`. The errors fail the gate: entries that are malformed, expired or may not be there. */
export function readQuarantine(
  path: string,
  today: Date,
): { readonly entries: readonly Quarantined[]; readonly errors: readonly string[] } {
  if (!existsSync(path)) return { entries: [], errors: [] };
  const read = z.array(entrySchema).safeParse(JSON.parse(readFileSync(path, "utf8")));
  if (!read.success) return { entries: [], errors: [`${path}: ${z.prettifyError(read.error)}`] };
  const errors = read.data.flatMap(({ file, test, date }) => {
    const age = (today.getTime() - Date.parse(date)) / 86_400_000;
    if (!mayWait.test(file)) return [`${path}: ${file} may not be quarantined`];
    if (!existsSync(file) || !readFileSync(file, "utf8").includes(test))
      return [`${path}: ${file} has no test "${test}"`];
    return age > days || age < 0
      ? [`${path}: "${test}" is in quarantine since ${date}; ${days} days is the limit: fix it`]
      : [];
  });
  return { entries: read.data, errors };
}
