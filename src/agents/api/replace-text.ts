import { nearestLines } from "./nearest-lines.ts";

/** A replacement in a file. */
export interface Replacement {
  readonly old: string;
  readonly new: string;
  /** Replaces every occurrence instead of the only one. */
  readonly all: boolean;
}

/**
 * The text after a replacement, and the number of replacements; throws a sentence for the model if there is no match,
 * or more than one.
 */
export function replaceText(name: string, before: string, edit: Replacement) {
  if (edit.old === "") throw new Error("the old text is empty; to write a whole file use write");
  if (edit.old === edit.new) throw new Error("the old text and the new one are the same");
  // Models write LF line endings; a file may mix both kinds.
  const isPlain = !before.includes("\r\n");
  const places = isPlain ? edit.old : new RegExp(edit.old.split(/\r?\n/).map(escaped).join("\\r?\\n"), "g");
  const count = before.split(places).length - 1;
  if (count === 0) throw new Error(notThere(name, before, edit.old));
  if (count > 1 && !edit.all)
    throw new Error(`the old text is ${count} times in ${name}: give more of what is around it`);
  const text = before.replaceAll(places, (match) =>
    isPlain ? edit.new : edit.new.replaceAll(/\r?\n/g, endsIn(match) ?? endsIn(before) ?? "\n"),
  );
  return { text, count };
}

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** The line ending of most lines; `undefined` for a single line. */
function endsIn(text: string): "\n" | "\r\n" | undefined {
  const windows = text.split("\r\n").length - 1;
  const all = text.split("\n").length - 1;
  if (all === 0) return undefined;
  return windows * 2 > all ? "\r\n" : "\n";
}

function notThere(name: string, text: string, old: string): string {
  if (!text.endsWith("\n") && old.endsWith("\n") && text.endsWith(old.slice(0, -1)))
    return `the old text is not in ${name}: the file has no newline at its end`;
  const near = nearestLines(text, old);
  const hint =
    near === undefined
      ? "read the file again"
      : `nearest to it are lines ${near.first} to ${near.last}:\n${near.text}`;
  return `the old text is not in ${name}; ${hint}`;
}
