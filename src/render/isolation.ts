import type { Wall } from "../ports/isolation.ts";
import { inMarkdownWithCode } from "./escape.ts";

/** The state of one isolation measure as text: whether it is on, how it works, and how to enable it. */
export const isolationPhrase = ({ name, on, detail, remedy }: Wall) =>
  `${name} ${on ? "isolated" : "not isolated"}: ${detail}${remedy === undefined ? "" : `. To change that, ${remedy}`}`;

/** How agents are isolated from the rest of the machine, as a Markdown section. */
export function isolationSection(walls: readonly Wall[]): string {
  const rows = walls.map((wall) => `- ${wall.on ? "✅" : "⚠️"} ${inMarkdownWithCode(isolationPhrase(wall))}`);
  const title = walls.every(({ on }) => on) ? "Isolation" : "Isolation: not complete";
  return [`<details><summary>${title}</summary>`, "", ...rows, "", "</details>"].join("\n");
}
