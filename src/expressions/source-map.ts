/** A text in which parts were replaced, with a map back to its source. */
export interface RewrittenSource {
  readonly text: string;
  /** Maps an offset in the text to the source: to the start of the replaced part, if it lies in one. */
  back(offset: number): number;
}

export interface Replacement {
  /** The source range to replace. */
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

/** Replaces parts of a source, given in source order. */
export function rewrite(source: string, replacements: readonly Replacement[]): RewrittenSource {
  let text = "";
  let copied = 0;
  const moves: { readonly at: number; readonly from: number; readonly isCopy: boolean }[] = [];
  for (const { from, to, by } of replacements) {
    moves.push({ at: text.length, from: copied, isCopy: true });
    text += source.slice(copied, from);
    moves.push({ at: text.length, from, isCopy: false });
    text += by;
    copied = to;
  }
  moves.push({ at: text.length, from: copied, isCopy: true });
  text += source.slice(copied);
  return {
    text,
    back(offset) {
      const move = moves.findLast(({ at }) => at <= offset);
      if (move === undefined) return offset;
      return move.isCopy ? move.from + (offset - move.at) : move.from;
    },
  };
}
