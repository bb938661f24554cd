/** A Markdown table; cells are Markdown already, on one line each. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

export const code = (text: string) => `\`${text}\``;

/** A bar would end the cell. */
const cell = (text: string) => text.replaceAll(/\s*\n\s*/g, " ").replaceAll(/(?<!\\)\|/g, "\\|");
