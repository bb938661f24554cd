import { describe, expect, test } from "vitest";
import { addChecksum, firstMark, verifyChecksum } from "../../src/stores/checksummed-lines.ts";

const from = firstMark("run-001");
const first = addChecksum(['{"n":1}'], from);
const second = addChecksum(['{"n":2}', "", '{"n":"é\t🟢"}'], first.marks[0] ?? from);
const log = Buffer.concat([first.bytes, second.bytes]);
const lines = ['{"n":1}', '{"n":2}', "", '{"n":"é\t🟢"}'];

describe("sealed lines", () => {
  test("stay readable", () => {
    expect(first.bytes.toString()).toMatch(/^\{"n":1\}\t[0-9a-f]{8}\n$/);
  });
  test("come back with their marks", () => {
    expect(verifyChecksum(log, from)).toEqual({
      lines,
      marks: [...first.marks, ...second.marks],
      broken: undefined,
    });
    expect(verifyChecksum(second.bytes, first.marks[0] ?? from).lines).toEqual(lines.slice(1));
  });
  test("cut at any byte hold the whole of an append or nothing of it", () => {
    for (let cut = 0; cut < log.length; cut += 1) {
      const expected = cut < first.bytes.length ? [] : lines.slice(0, 1);
      expect(verifyChecksum(log.subarray(0, cut), from), `cut at ${cut}`).toMatchObject({
        lines: expected,
        broken: undefined,
      });
    }
  });
  test("show every flipped bit", () => {
    for (let at = 0; at < log.length * 8; at += 1) {
      const flipped = Buffer.from(log);
      flipped[at >> 3] = (flipped[at >> 3] ?? 0) ^ (1 << (at & 7));
      expect(verifyChecksum(flipped, from).broken, `bit ${at & 7} of byte ${at >> 3}`).toBeTypeOf("number");
    }
  });
  test("show every byte that became another in what a kill tore off, or leave it out", () => {
    const torn = log.subarray(0, -4);
    for (let at = first.bytes.length; at < torn.length; at += 1) {
      const changed = Buffer.from(torn);
      changed[at] = 0x0a;
      const { lines: left, broken } = verifyChecksum(changed, from);
      expect(broken !== undefined || left.length <= 1, `byte ${at}`).toBe(true);
    }
  });
  test.each([
    ["removed", [0, 2]],
    ["doubled", [0, 1, 1, 2]],
    ["moved", [1, 0, 2]],
    ["removed at the start", [1, 2]],
  ])("show an append that was %s", (_, order) => {
    const third = addChecksum(["{}"], second.marks.at(-1) ?? from);
    const parts = [first.bytes, second.bytes, third.bytes];
    expect(
      verifyChecksum(Buffer.concat(order.map((at) => parts[at] ?? Buffer.of())), from).broken,
    ).toBeTypeOf("number");
  });
  test("of another run do not fit", () => {
    expect(verifyChecksum(log, firstMark("run-002"))).toMatchObject({ lines: [], broken: 0 });
  });
});
