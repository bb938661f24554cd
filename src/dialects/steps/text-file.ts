import type { Files } from "../dialect.ts";
import { note } from "../note.ts";
import type { At } from "../shape.ts";
import type { Sheet } from "./sheet.ts";

const longestChain = 20;

/** A text as it stands, or that of the file an `@path` names, which may be an `@path` again. */
export function readTextOrFile(
  sheet: Pick<Sheet, "faults"> & { readonly files: Files },
  written: string,
  at: At,
): string | undefined {
  const seen: string[] = [];
  let text = written;
  while (/^@[^\s@]+\s*$/.test(text)) {
    const path = text.slice(1).trim();
    const because = refusal(path, seen);
    const found = because === undefined ? sheet.files.text?.(path) : undefined;
    if (found === undefined) {
      const message = because ?? `The file \`${path}\` is not there, or lies outside the checkout.`;
      note(sheet, "BAD_VALUE", { message, at });
      return undefined;
    }
    seen.push(path);
    text = found;
  }
  return text;
}

function refusal(path: string, seen: readonly string[]): string | undefined {
  if (seen.includes(path)) return `These files name each other: ${[...seen, path].join(" → ")}.`;
  return seen.length >= longestChain ? `More than ${longestChain} files name each other in turn.` : undefined;
}
