import type { Letter } from "../ports/agent.ts";

/** Hands out each of the letters that wait, once: they wait on until the answer that read them is on record. */
export function openInbox(waiting: () => readonly Letter[]): () => readonly Letter[] {
  const handed = new Map<string, number>();
  return () => {
    const seen = new Map<string, number>();
    return waiting().flatMap(({ from, text }) => {
      const key = JSON.stringify([from, text]);
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      if (count <= (handed.get(key) ?? 0)) return [];
      handed.set(key, count);
      return [{ from, text }];
    });
  };
}
