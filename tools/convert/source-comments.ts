import { CST, type Document, isScalar, isSeq, Lexer, LineCounter, parseDocument, visit } from "yaml";

/** The comments of a workflow file, each line without its `#`. */
export interface SourceComments {
  /** Those above everything else. */
  readonly head: readonly string[];
  /** Those before, in or beside a named step, block or loop, by its name. */
  readonly byName: ReadonlyMap<string, readonly string[]>;
  /** Those after everything else. */
  readonly tail: readonly string[];
}

/** A named step, block or loop and the text it covers. */
interface Element {
  readonly name: string;
  readonly start: number;
  /** The position of its first key: text further left is not part of it. */
  readonly inner: number;
  readonly end: number;
}

/** Reads the comments of a text that parses; every one of them is in exactly one place. */
export function commentsIn(text: string): SourceComments {
  const document = parseDocument(text, { uniqueKeys: false });
  const elements = elementsOf(document);
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
  const columnOf = (offset: number) => lines.linePos(offset).col;
  const first = document.contents?.range?.[0] ?? 0;
  const head: string[] = [];
  const tail: string[] = [];
  const byName = new Map<string, string[]>();
  for (const { offset, comment } of commentTokens(text)) {
    const owner = ownerOf(offset, elements, columnOf);
    if (offset < first) head.push(comment);
    else if (owner === undefined) tail.push(comment);
    else byName.set(owner.name, [...(byName.get(owner.name) ?? []), comment]);
  }
  return { head, byName, tail };
}

/** Tokens by which the lexer announces the next one; they are not part of the text. */
const marks: readonly string[] = [CST.DOCUMENT, CST.FLOW_END, CST.SCALAR];

function* commentTokens(text: string): Iterable<{ readonly offset: number; readonly comment: string }> {
  let offset = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith("#")) yield { offset, comment: lexeme.slice(1) };
    if (!marks.includes(lexeme)) offset += lexeme.length;
  }
}

function elementsOf(document: Document.Parsed): readonly Element[] {
  const found: Element[] = [];
  visit(document, {
    Map(key, node, path) {
      const parent = path.at(-1);
      const holder = path.at(-3);
      const [start = 0, end = 0] = node.range ?? [];
      const named = node.get("id") ?? node.get("name");
      if (isSeq(parent) && typeof named === "string") found.push({ name: named, start, inner: start, end });
      // A block is named by its key.
      if (
        key === "value" &&
        parent !== undefined &&
        "key" in parent &&
        isScalar(parent.key) &&
        isBlocks(holder)
      )
        found.push({
          name: String(parent.key.value),
          start: parent.key.range?.[0] ?? start,
          inner: start,
          end,
        });
    },
  });
  return found;
}

const isBlocks = (holder: unknown): boolean =>
  typeof holder === "object" &&
  holder !== null &&
  "key" in holder &&
  isScalar(holder.key) &&
  holder.key.value === "blocks";

/**
 * The innermost element around a comment, or the one before if the comment is as far to the right, or the next one.
 */
function ownerOf(
  offset: number,
  elements: readonly Element[],
  columnOf: (offset: number) => number,
): Element | undefined {
  const enclosing = elements.findLast(({ start, end }) => start <= offset && offset < end);
  if (enclosing !== undefined) return enclosing;
  const before = elements.findLast(({ end }) => end <= offset);
  if (before !== undefined && columnOf(offset) >= columnOf(before.inner)) return before;
  return elements.find(({ start }) => start > offset);
}

/** Puts comments before the native nodes of the same names; the others go to the top. */
export function addComments(document: Document, { head, byName, tail }: SourceComments): void {
  const left = new Map(byName);
  visit(document, {
    Map(_, node) {
      const id = node.get("id");
      const lines = typeof id === "string" ? left.get(id) : undefined;
      if (lines === undefined) return;
      node.commentBefore = lines.join("\n");
      left.delete(String(id));
    },
  });
  const above = [...head, ...[...left.values()].flat()];
  if (above.length > 0) document.commentBefore = [document.commentBefore ?? [], above].flat().join("\n");
  if (tail.length > 0) document.comment = tail.join("\n");
}
