/** The parts of a plan from another language that a native file cannot express, or expresses differently. */
export interface WriterContext {
  readonly gaps: ConversionGap[];
  /** Differences in meaning, as sentences for people. */
  readonly notes: Set<string>;
  /** Inputs that texts read and that have a default text. */
  readonly inputs: Map<string, string>;
}

/** Something that cannot be carried over, and the node it belongs to. */
export interface ConversionGap {
  readonly node: string | undefined;
  readonly message: string;
}

export const openWriterContext = (): WriterContext => ({ gaps: [], notes: new Set(), inputs: new Map() });

/** The current place in the plan. */
export interface WriterPosition {
  readonly writer: WriterContext;
  /** The id of the node, as its own file has it. */
  readonly node: string | undefined;
  /** The node's id in the native file. */
  idOf(id: string): string;
  /** Whether a node may be skipped by a condition of its own. */
  isConditional(id: string): boolean;
  /** Whether a node's result has another form in a native file. */
  isReshaped(id: string): boolean;
  /** The native name for the name under which a loop collects its outputs. */
  gathered(name: string): string | undefined;
  readonly isInLoop: boolean;
}

/** Records that something cannot be expressed. */
export function reportGap({ writer, node }: WriterPosition, message: string): undefined {
  const isReported = writer.gaps.some((it) => it.node === node && it.message === message);
  if (!isReported) writer.gaps.push({ node, message });
}

/** A name as native files allow it, other than those taken. */
export function nativeName(name: string, taken: ReadonlySet<string>): string {
  const plain = name.normalize("NFKD").replaceAll(/[^\w-]+/g, "_");
  const wanted = (/^[A-Za-z_]/.test(plain) ? plain : `_${plain}`).slice(0, 90);
  const isFree = (it: string) => !taken.has(it) && !["INPUTS", "LOOP_PREV", "LOOP_ITEM"].includes(it);
  let found = wanted;
  for (let count = 2; !isFree(found); count++) found = `${wanted}_${count}`;
  return found;
}
