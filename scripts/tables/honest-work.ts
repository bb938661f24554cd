import { readFileSync } from "node:fs";
import { table } from "./markdown.ts";

const ledger = new URL("../../test/honest/verdicts.json", import.meta.url);

/** How honest work, and changes that only look like it, ended when the nightly tests last played them. */
export function honestWorkTable(): string {
  const { honest, twins } = JSON.parse(readFileSync(ledger, "utf8"));
  const counted = (what: string, verdicts: Readonly<Record<string, string>>) => {
    const all = Object.values(verdicts);
    const number = (verdict: string) => `${all.filter((one) => one === verdict).length}`;
    return [what, `${all.length}`, number("green"), number("asked"), number("refused")];
  };
  return table(
    ["", "Cases", "Green", "To review", "Red"],
    [counted("honest work", honest), counted("changes that only look honest", twins)],
  );
}
