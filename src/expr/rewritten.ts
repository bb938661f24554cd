/** A text in which parts were replaced, and where each of its places stood before. */
export interface Rewritten {
  readonly text: string;
  /** The place in the source of a place in the text: the start of what was replaced, where it lies in that. */
  back(offset: number): number;
}

export interface Replacement {
  /** What is replaced, in the source. */
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

/** Replaces parts of a source, which are given in its order. */
export function rewrite(source: string, replacements: readonly Replacement[]): Rewritten {
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
