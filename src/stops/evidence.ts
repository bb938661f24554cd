import type { TestInventory } from "../ports/tests.ts";
import type { Evidence } from "./stop.ts";
import { dataBlock } from "./untrusted-block.ts";

/** The evidence of an iteration as blocks of data for a prompt. */
export function evidenceBlocks({ goal, patch, before, after, check }: Evidence): readonly string[] {
  const blocks = [
    ["goal", goal],
    ["changes", patch ?? ""],
    ["tests-before", inWords(before)],
    ["tests-now", inWords(after)],
    ["check", check],
  ] as const;
  return blocks.flatMap(([name, text]) => (text.trim() === "" ? [] : [dataBlock(name, text)]));
}

function inWords(tests: TestInventory | undefined): string {
  if (tests === undefined) return "";
  const { runner, passed, failed, skipped } = tests;
  return `${runner}: ${passed} passed, ${failed} failed, ${skipped} skipped`;
}
