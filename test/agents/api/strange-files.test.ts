import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { agentContext } from "../agent.contract.ts";
import { onePixel, workshop } from "./workshop.ts";

test("an edit of a file that is not UTF-8 keeps every byte that it leaves alone", async () => {
  const { use, at } = workshop();
  writeFileSync(at("a.txt"), Buffer.from("caf\u00e9\none\n", "latin1"));
  expect(await use("read", { path: "a.txt" })).toBe("1\tcaf\u00e9\n2\tone\n(not UTF-8: shown as Latin-1)");
  await use("edit", { path: "a.txt", old: "one", new: "d\u00e9j\u00e0" });
  expect(readFileSync(at("a.txt"))).toEqual(Buffer.from("caf\u00e9\nd\u00e9j\u00e0\n", "latin1"));
  const edit = use("edit", { path: "a.txt", old: "caf", new: "\u{1f600}" });
  await expect(edit).rejects.toThrow("the file is not UTF-8 and cannot contain \u{1f600}");
});

test("an edit finds lines that end in both ways, and keeps the ends of what it replaces", async () => {
  const { use, at } = workshop();
  writeFileSync(at("a.txt"), "a\r\nb\nc\nd\r\n");
  await use("edit", { path: "a.txt", old: "b\nc", new: "x\ny" });
  expect(readFileSync(at("a.txt"), "utf8")).toBe("a\r\nx\ny\nd\r\n");
  await use("edit", { path: "a.txt", old: "a\nx\ny", new: "1\n$&" });
  expect(readFileSync(at("a.txt"), "utf8")).toBe("1\n$&\nd\r\n");
});

test("an edit with a newline that the file lacks at its end is refused with that reason", async () => {
  const { use, at } = workshop();
  writeFileSync(at("a.txt"), "one\ntwo");
  const edit = use("edit", { path: "a.txt", old: "two\n", new: "2\n" });
  await expect(edit).rejects.toThrow("the file has no newline at its end");
});

test("an edit shows a line that is nearly the wanted one", async () => {
  const { use, at } = workshop();
  writeFileSync(at("a.js"), "// sum\nfunction add(a, b) {\n  return a - b;\n}\n");
  const edit = use("edit", { path: "a.js", old: "return (a -b);", new: "return a + b;" });
  await expect(edit).rejects.toThrow("nearest to it are lines 3 to 3:\n  return a - b;");
});

test.each([
  ["write", { path: "a.txt" }, "call has no field content"],
  ["write", { path: "a.txt", content: null }, "call has no field content"],
  ["edit", { path: "a.txt", old: "keep" }, "`old` and `new` must be texts"],
  ["edit", { path: "a.txt", old: "", new: "x" }, "the old text is empty"],
  ["edit", { path: "a.txt", old: "keep", new: "keep" }, "are the same"],
  ["edit", { path: "a.txt", edits: [] }, "call.edits is less than 1"],
  ["edit", { path: "a.txt", edits: [null] }, "call.edits[0] is not of type object"],
  ["edit", { path: "a.txt", edits: [{ old: "keep" }] }, "call.edits[0] has no field new"],
  ["bash", { command: ["rm", "a.txt"] }, "call.command is not of type string"],
  ["plan", { steps: ["one"] }, "call.steps[0] is not of type object"],
  ["read", null, "the arguments must be an object with path"],
  ["read", [], "the arguments must be an object with path"],
  ["read", "a.txt", "the arguments must be an object with path"],
])("%s with %j changes nothing, and says what is wrong", async (name, given, message) => {
  const { use, at } = workshop();
  writeFileSync(at("a.txt"), "keep");
  await expect(use(name, given)).rejects.toThrow(message);
  expect(readFileSync(at("a.txt"), "utf8")).toBe("keep");
});

test("numbers, booleans and lists that a model writes as text are read", async () => {
  const { use, at } = workshop();
  writeFileSync(at("a.txt"), "one\ntwo\ntwo\n");
  expect(await use("read", { path: "a.txt", offset: "2", limit: "1" })).toContain("(lines 2 to 2 of 3;");
  await use("edit", { path: "a.txt", old: "two", new: "2", all: "true", edits: null });
  await use("edit", { path: "a.txt", edits: '[{"old":"one","new":"1"}]' });
  await use("edit", { path: "a.txt", edits: { old: "1", new: "[1]" } });
  expect(readFileSync(at("a.txt"), "utf8")).toBe("[1]\n2\n2\n");
});

test("read shows whole lines as far as they fit, and says where a file ends", async () => {
  const { use, at } = workshop();
  writeFileSync(at("a.txt"), "0123456789".repeat(10).concat("\n").repeat(1_000));
  const [, last] = /\(lines 1 to (\d+) of 1000;/.exec(String(await use("read", { path: "a.txt" }))) ?? [];
  expect(Number(last)).toBeGreaterThan(250);
  expect(await use("read", { path: "a.txt", offset: Number(last) + 1, limit: 1 })).toMatch(/^\d+\t0123/);
  expect(await use("read", { path: "a.txt", offset: 1_001 })).toBe(
    "(the file has 1000 lines: there is no line 1001)",
  );
  writeFileSync(at("one-line.txt"), "x".repeat(5_000_000));
  expect(String(await use("read", { path: "one-line.txt" })).length).toBeLessThan(33_000);
  writeFileSync(at("empty.txt"), "");
  expect(await use("read", { path: "empty.txt" })).toBe("(an empty file)");
});

test("an image that is damaged, empty or misnamed is never shown to a model", async () => {
  const { use, at } = workshop();
  for (const bytes of [onePixel.subarray(0, 20), Buffer.alloc(0), Buffer.from("no image")]) {
    writeFileSync(at("a.png"), bytes);
    expect(await use("read", { path: "a.png" })).toMatch(/^\(an image that is damaged or of another kind/);
  }
  writeFileSync(at("b.jpg"), onePixel);
  expect(await use("read", { path: "b.jpg" })).toMatchObject({ mediaType: "image/png" });
});

test.each([
  ["PNG", "a.png", png(9_000, 20)],
  [
    "GIF",
    "a.gif",
    Buffer.concat([Buffer.from("GIF89a"), short(9_000), short(20), Buffer.alloc(32), Buffer.from(";")]),
  ],
  ["JPEG", "a.jpg", jpeg(9_000, 20)],
  ["WebP", "a.webp", webp(9_000, 20)],
])("a %s with more pixels on a side than models take is not shown", async (_, name, bytes) => {
  const { use, at } = workshop();
  writeFileSync(at(name), bytes);
  expect(await use("read", { path: name })).toMatch(/^\(an image of 9000 x 20 pixels: a side may have 8000/);
});

test.each([
  ["a.png", png(8_000, 20)],
  ["a.jpg", jpeg(20, 8_000)],
  ["a.webp", webp(20, 8_000)],
])("%s of the most pixels is shown", async (name, bytes) => {
  const { use, at } = workshop();
  writeFileSync(at(name), bytes);
  expect(await use("read", { path: name })).toHaveProperty("image");
});

test("glob lists nothing behind a link that leads out of the workspace", async () => {
  const { use, at } = workshop();
  const { workspace: outside } = agentContext();
  writeFileSync(`${outside}/secret.txt`, "");
  symlinkSync(outside, at("link"));
  mkdirSync(at("src"));
  writeFileSync(at("src/a.txt"), "");
  symlinkSync("src", at("inside"));
  expect(await use("glob", { pattern: "link/*" })).toBe("no file matches");
  expect(await use("glob", { pattern: "inside/*" })).toBe("inside/a.txt");
  expect(await use("glob", { pattern: "*/*.txt" })).toBe("src/a.txt");
  for (const pattern of ["/etc/*", "{..,src}/*", "src/../../*"])
    await expect(use("glob", { pattern })).rejects.toThrow("leaves the workspace");
});

/** The header and the end of an image: what is between them does not matter here. */
function png(width: number, height: number): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([onePixel.subarray(0, 16), size, onePixel.subarray(24)]);
}

function jpeg(width: number, height: number): Buffer {
  const size = Buffer.from([height >> 8, height & 255, width >> 8, width & 255]);
  const comment = Buffer.from([0xff, 0xfe, 0, 4, 1, 2]);
  const frame = Buffer.concat([Buffer.from([0xff, 0xc2, 0, 11, 8]), size, Buffer.from([1, 1, 0x11, 0])]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    comment,
    frame,
    Buffer.alloc(32),
    Buffer.from([0xff, 0xd9]),
  ]);
}

function webp(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(30);
  bytes.write("RIFF");
  bytes.writeUInt32LE(22, 4);
  bytes.write("WEBPVP8X", 8);
  bytes.writeUIntLE(width - 1, 24, 3);
  bytes.writeUIntLE(height - 1, 27, 3);
  return bytes;
}

function short(number: number): Buffer {
  return Buffer.from([number & 255, number >> 8]);
}
