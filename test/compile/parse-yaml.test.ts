import { expect, test } from "vitest";
import { readSource } from "../../src/compile/parse-yaml.ts";

const bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
  .concat(
    [..."bcdefghij"].map(
      (name, index) => `${name}: &${name} [${Array(10).fill(`*${"abcdefghij"[index]}`).join(", ")}]`,
    ),
  )
  .join("\n");

const hostile: readonly (readonly [title: string, text: string, said: string])[] = [
  ["an empty file", "", "BAD_YAML 1:1"],
  ["comments only", "# nothing\n", "BAD_YAML 1:1"],
  ["what is not YAML", "a: b: c", "BAD_YAML 1:5"],
  ["tabs as indentation", "a:\n\tb: 1", "BAD_YAML 2:1"],
  ["several documents", "a: 1\n---\nb: 2", "BAD_YAML 3:1"],
  ["a NUL", "a: x\u0000y", "BAD_YAML 1:5"],
  ["an unknown tag", "a: !run x", "BAD_YAML 1:4"],
  ["a tag of JavaScript", "a: !!js/function x", "BAD_YAML 1:4"],
  ["a tag directive", "%TAG ! tag:x,2000:\n---\na: !b c", "BAD_YAML 1:1"],
  ["a value its tag does not fit", "a: !!int x", "BAD_YAML 1:4"],
  ["a list as key", "? [a]\n: b", "BAD_YAML 1:3"],
  ["an unknown alias", "a: *b", "BAD_YAML 1:4"],
  ["a value that contains itself", "a: &a [1, *a]", "BAD_YAML 1:11"],
  ["a merge of what is no mapping", "a: { b: 1, <<: c }", "BAD_YAML 1:12"],
  ["a second merge", "a: &a {}\nb: { <<: *a, <<: *a }", "DUPLICATE_KEY 2:14"],
  ["a merge of what it stands in", "a: &a { <<: *a }", "BAD_YAML 1:13"],
  ["more than 1 MiB", "x".repeat(1_048_577), "TOO_LARGE 1:1"],
  ["more than 1 MiB in UTF-8", "é".repeat(524_289), "TOO_LARGE 1:1"],
  ["aliases of aliases", bomb, "LIMIT"],
  ["101 aliases", `a: &a 1\nb: [${Array(101).fill("*a").join(", ")}]`, "LIMIT"],
  ["lists in lists", "[".repeat(101) + "]".repeat(101), "LIMIT"],
  ["aliases that nest deeper than values may", deepAliases(), "LIMIT"],
  ["brackets by the hundred thousand", "[],".repeat(300_000), "LIMIT"],
  ["lines by the hundred thousand", "- a\n".repeat(200_000), "LIMIT"],
  [
    "anchors by the thousand",
    Array.from({ length: 1001 }, (_, index) => `- &a${index} x`).join("\n"),
    "LIMIT",
  ],
  ["signs by the hundred thousand", `[${": ".repeat(500_000)}`, "LIMIT"],
  ["quoted texts by the hundred thousand", '""'.repeat(500_000), "BAD_YAML 1:3"],
  ["no finite number", "a: .inf", "BAD_VALUE 1:4"],
];

test.each(hostile)("%s is refused", (_, text, expected) => {
  const { faults } = readSource(text);
  const first = faults.map(({ code, line, column }) => `${code} ${line}:${column}`)[0] ?? "nothing";
  expect(expected.includes(" ") ? first : first.split(" ")[0]).toBe(expected);
});

function deepAliases(): string {
  const nested = (inner: string) => "[".repeat(20) + inner + "]".repeat(20);
  const names = [..."abcdef"];
  return names
    .map((name, index) => `${name}: &${name} ${nested(index === 0 ? "1" : `*${names[index - 1]}`)}`)
    .join("\n");
}

test("every duplicate key is reported, and the first one counts", () => {
  const { value, faults } = readSource("a: 1\nb: {c: 1, c: 2}\na: 2\na: 3\n");
  expect(value).toEqual({ a: 1, b: { c: 1 } });
  expect(faults.map(({ code, line, column }) => `${code} ${line}:${column}`)).toEqual([
    "DUPLICATE_KEY 2:11",
    "DUPLICATE_KEY 3:1",
    "DUPLICATE_KEY 4:1",
  ]);
});

test("a key that may repeat is kept each time it occurs at the top, in order and with its positions", () => {
  const { value, faults, places } = readSource(
    "s: [1]\nl: [2]\ns: [3]\nl: {s: 4, s: 5}\nx: 1\nx: 2\n",
    new Set(["s", "l"]),
  );
  expect(Object.entries(value as object)).toEqual([
    ["s", [1]],
    ["l", [2]],
    ["s (2)", [3]],
    ["l (2)", { s: 4 }],
    ["x", 1],
  ]);
  expect(places(["s (2)", 0])).toEqual({ line: 3, column: 5 });
  expect(faults.map(({ code, line, column }) => `${code} ${line}:${column}`)).toEqual([
    "DUPLICATE_KEY 4:11",
    "DUPLICATE_KEY 6:1",
  ]);
  const many = readSource("s: []\n".repeat(20_000), new Set(["s"]));
  expect(Object.keys(many.value as object)).toHaveLength(100);
});

test("keys of an object's own machinery are refused and pollute nothing", () => {
  const { value, faults } = readSource("__proto__: {polluted: true}\nconstructor: 1\na: {prototype: 2}\n");
  expect(faults.map(({ code, line }) => `${code} ${line}`)).toEqual([
    "UNKNOWN_FIELD 1",
    "UNKNOWN_FIELD 2",
    "UNKNOWN_FIELD 3",
  ]);
  expect(value).toEqual({ a: {} });
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test.each(["a: 1\n---\n", "a: 1\n---\n# nothing\n...\n"])(
  "an empty document at the end is no document",
  (text) => {
    expect(readSource(text)).toMatchObject({ value: { a: 1 }, faults: [] });
  },
);

test("scalars are those of YAML 1.2", () => {
  const text = "[yes, no, on, true, null, ~, 0x1F, 1.5, 012, 1_000, 2026-01-01, '1', !!str 1, !!int '7', <<]";
  expect(readSource(text).value).toEqual([
    "yes",
    "no",
    "on",
    true,
    null,
    null,
    31,
    1.5,
    12,
    "1_000",
    "2026-01-01",
    "1",
    "1",
    7,
    "<<",
  ]);
});

test("a merge key adds the keys that a mapping lacks; of several mappings the first one counts", () => {
  const text =
    "a: &a { x: 1, y: [1] }\nb: &b { x: 2, z: 2 }\nc:\n  <<: *a\n  x: 3\nd: { x: 4, <<: [*b, *a] }\ne: { '<<': *a }";
  const { value, faults } = readSource(text);
  expect(faults).toEqual([]);
  expect(value).toMatchObject({
    c: { x: 3, y: [1] },
    d: { x: 4, y: [1], z: 2 },
    e: { "<<": { x: 1 } },
  });
  expect(Object.keys((value as { d: object }).d)).toEqual(["x", "z", "y"]);
});

test("the position of a merged value is where it was written", () => {
  const { places } = readSource("a: &a\n  x: 1\nb:\n  <<: *a\n  y: 2\n");
  expect(places(["b", "x"])).toEqual({ line: 2, column: 6 });
  expect(places(["b", "y"])).toEqual({ line: 5, column: 6 });
});

test("an alias shares what its anchor names", () => {
  expect(readSource("a: &x {b: [1]}\nc: *x\n").value).toEqual({ a: { b: [1] }, c: { b: [1] } });
});

test("places are those of values, of keys, of text inside them, and else of what is around", () => {
  const { places } = readSource(
    '\uFEFFa:\n  - b: one two\n    c: |\n      first\n       second\n    d: "quoted"\n',
  );
  expect(places(["a", 0, "b"])).toEqual({ line: 2, column: 8 });
  expect(places(["a", 0, "b"], { onKey: true })).toEqual({ line: 2, column: 5 });
  expect(places(["a", 0, "b"], { offset: 4 })).toEqual({ line: 2, column: 12 });
  expect(places(["a", 0, "c"])).toEqual({ line: 3, column: 8 });
  expect(places(["a", 0, "c"], { offset: 7 })).toEqual({ line: 5, column: 8 });
  expect(places(["a", 0, "d"], { offset: 2 })).toEqual({ line: 6, column: 11 });
  expect(places(["a", 0, "z", 3])).toEqual({ line: 2, column: 5 });
  expect(places([])).toEqual({ line: 1, column: 1 });
});
