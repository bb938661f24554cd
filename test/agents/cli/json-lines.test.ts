import { expect, test } from "vitest";
import { jsonLines } from "../../../src/agents/cli/json-lines.ts";
import { fc } from "../../parts/random.ts";

const readAll = (pieces: Iterable<string>, limit?: number) => {
  const events: unknown[] = [];
  const lines = jsonLines((event) => events.push(event), limit);
  for (const piece of pieces) lines.push(piece);
  lines.end();
  return events;
};

const cutInto = (text: string, size: number) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));

test("reads every object, however the lines are cut, and passes over what is none", () => {
  const text = '{"a":1}\nnoise\n[1]\n{"b":"x\\"\\u00e9"}\n{"c":';
  for (const size of [1, 2, 3, 100]) {
    expect(readAll(cutInto(text, size))).toEqual([{ a: 1 }, { b: 'x"é' }]);
  }
});

test("a last line without its end is read", () => {
  expect(readAll(['{"a":1}'])).toEqual([{ a: 1 }]);
});

test("a string of fifty megabytes keeps head and tail, and says how much is left out", () => {
  const megabyte = "line of text\\n".repeat(80_000);
  const pieces = function* () {
    yield '{"type":"result","result":"head';
    for (let count = 0; count < 50; count += 1) yield megabyte;
    yield 'tail","after":true}\n';
  };
  const [event] = readAll(pieces()) as [{ result: string; after: boolean }];
  expect(event.after).toBe(true);
  expect(event.result).toMatch(/^headline of text\n.*line of text\ntail$/s);
  expect(Buffer.byteLength(event.result)).toBeLessThanOrEqual(256 * 1024);
  const [, leftOut] = /\[… (\d+) bytes left out …\]/.exec(event.result) ?? [];
  const marker = Buffer.byteLength(`\n[… ${leftOut} bytes left out …]\n`);
  expect(Buffer.byteLength(event.result) - marker + Number(leftOut)).toBe(8 + 50 * 80_000 * 13);
});

test("whatever a string holds, it is left whole within the limit and cut between characters beyond it", () => {
  const strings = fc.array(fc.string({ unit: "binary", maxLength: 600 }), { maxLength: 4 });
  fc.assert(
    fc.property(strings, fc.integer({ min: 1, max: 50 }), (values, size) => {
      const text = `${JSON.stringify({ values })}\n`;
      const [event] = readAll(cutInto(text, size), 400) as [{ values: string[] }];
      expect(event.values).toHaveLength(values.length);
      for (const [at, value] of values.entries()) {
        const read = event.values[at] ?? "";
        if (read === value) continue;
        expect(Buffer.byteLength(value)).toBeGreaterThan(400 - 128);
        const [head = "", tail = ""] = read.split(/\n\[… \d+ bytes left out …\]\n/);
        expect(value.startsWith(head.replace(/\uFFFD$/, ""))).toBe(true);
        expect(value.endsWith(tail.replace(/^\uFFFD/, ""))).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});

test("a line of nothing but small things is passed over when it outgrows all bounds", () => {
  const pieces = function* () {
    yield '{"list":[';
    for (let count = 0; count < 40; count += 1) yield "1,".repeat(250_000);
    yield '1]}\n{"next":1}\n';
  };
  expect(readAll(pieces())).toEqual([{ next: 1 }]);
});

test("a long string costs a few times what it costs to parse: a program may not wait long for its reader", () => {
  const line = `${JSON.stringify({ text: "line of text\n".repeat(400_000) })}\n`;
  const least = (work: () => unknown) =>
    Math.min(
      ...Array.from({ length: 3 }, () => {
        const before = performance.now();
        work();
        return performance.now() - before;
      }),
    );
  const parsing = least(() => JSON.parse(line));
  expect(least(() => readAll(cutInto(line, 65_536)))).toBeLessThan(parsing * 20 + 20);
});
