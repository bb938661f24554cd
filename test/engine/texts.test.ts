import { expect, test } from "vitest";
import { gateText } from "../../src/engine/gate-text.ts";
import { outputText } from "../../src/engine/nodes/prompt-sections.ts";

test("a gate shows only what there is to show", () => {
  const bare = gateText({ message: " Sure? ", run: "run-001" });
  for (const blank of [{ output: " \n" }, { printed: "\n" }, { patch: " " }, { verdicts: [] }])
    expect(gateText({ message: "Sure?", run: "run-001", ...blank })).toEqual(bare);
  const { message } = gateText({
    message: "Sure?",
    run: "run-001",
    output: "It works.\n",
    verdicts: ["until-bash: exit 1"],
    printed: "1 failing",
    patch: "+a\n-b",
    note: "A note.",
  });
  const places = ["Sure?", "It works.", "until-bash: exit 1", "1 failing", "+a", "A note.", "run-001"].map(
    (part) => message.indexOf(part),
  );
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
});

test("a node's result is shown beside its output only if it says more", () => {
  const cut = (text: string) => text;
  const block = '```json\n{\n  "a": 1\n}\n```';
  expect(outputText({ output: "Done." }, cut)).toBe("Done.");
  expect(outputText({ output: "Done.", result: { a: 1 } }, cut)).toBe(`Done.\n${block}`);
  expect(outputText({ output: " \n", result: { a: 1 } }, cut)).toBe(block);
  expect(outputText({ output: '{ "a": 1 }', result: { a: 1 } }, cut)).toBe(block);
  expect(outputText({ output: '{"a": 2}', result: { a: 1 } }, cut)).toBe(`{"a": 2}\n${block}`);
});
