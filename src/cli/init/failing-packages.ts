import { withoutColour } from "../../checks/colours.ts";
import { failingCount } from "../../checks/failing-count.ts";
import { markedOutputs, scriptsIn } from "../../checks/inventory/prefixes.ts";

const mostPackages = 5;

/** ` in @x/a (2), @x/b (1)`, if the output shows which of several packages the failing tests belong to. */
export function packagesOf(output: string): string {
  const parts = markedOutputs(withoutColour(output)).flatMap(({ label, output: text }) =>
    scriptsIn(text).map((part) => ({ name: label || scriptOf(part), failing: failingCount(part) })),
  );
  const counted = parts.filter(({ name, failing }) => name !== "" && failing !== undefined);
  if (new Set(counted.map(({ name }) => name)).size < 2) return "";
  const found = counted.flatMap(({ name, failing = 0 }) => (failing > 0 ? [`${name} (${failing})`] : []));
  const more = found.length > mostPackages ? ` and ${found.length - mostPackages} more` : "";
  return ` in ${found.slice(0, mostPackages).join(", ")}${more}`;
}

/** The package in `> @x/a@1.0.0 test`. */
const scriptOf = (text: string) => /^> (\S+)@\S+ [\w:.-]+/.exec(text)?.[1] ?? "";
