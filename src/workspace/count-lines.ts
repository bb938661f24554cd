export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

/**
 * Counts added and removed lines as git does, for a change in one place: without their common start and end, the two
 * texts have no line in common. Every diff algorithm finds the same numbers then. `undefined` for other changes.
 */
export function countLines(before: Buffer, after: Buffer): LineCounts | undefined {
  if (isBinary(before) || isBinary(after)) return { added: 0, removed: 0 };
  const [old, now] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, now.length);
  let top = 0;
  while (top < shorter && old[top] === now[top]) top += 1;
  let end = 0;
  while (end < shorter - top && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const removed = new Set(old.slice(top, old.length - end));
  const added = now.slice(top, now.length - end);
  if (added.some((line) => removed.has(line))) return undefined;
  return { added: added.length, removed: old.length - end - top };
}

/** Git takes a file with a NUL among its first 8,000 bytes for binary, and counts no lines in it. */
const isBinary = (body: Buffer) => body.subarray(0, 8000).includes(0);

/** Each line with its end: a last line without one differs from the same line with one. */
const linesOf = (body: Buffer) => body.toString("latin1").match(/[^\n]*\n|[^\n]+$/g) ?? [];
