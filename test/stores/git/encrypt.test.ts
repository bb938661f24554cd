import { expect, test } from "vitest";
import { BrokenLogError } from "../../../src/ports/store.ts";
import { decrypt, encrypt, isEncrypted, keysIn } from "../../../src/stores/git/encrypt.ts";

const place = { run: "run-001", what: "events" };
const plain = Buffer.from("words of an agent");
const idOf = (text: string) => text.split(".")[1];

test.each([
  ["key", ["key"]],
  [" key \n", ["key"]],
  ["new\n\n  old\r\n", ["new", "old"]],
  // What has no line at all is taken as it is.
  [" \n", [" \n"]],
])("the keys in %j", (text, keys) => {
  expect(keysIn(text)).toEqual(keys);
});

test("the same text in the same place is the same object, and a different one anywhere else", () => {
  const text = encrypt("key", place, plain);
  expect(text).toMatch(/^ug1\.[0-9a-f]{16}\.[\w-]+$/);
  expect(text).not.toContain(plain.toString("base64url"));
  expect(encrypt("key", place, Buffer.from(plain))).toBe(text);
  const body = (other: string) => other.split(".")[2]?.slice(0, 16);
  const others = [
    encrypt("key", { ...place, what: "status" }, plain),
    encrypt("key", { ...place, run: "run-002" }, plain),
    encrypt("key", place, Buffer.from("other words")),
    encrypt("other", place, plain),
  ];
  // Not even the nonce is the same.
  expect(new Set([text, ...others].map(body)).size).toBe(5);
  expect(others.map((other) => idOf(other) === idOf(text))).toEqual([true, true, true, false]);
});

test("a text is decrypted with any of the keys, and may have white space behind it", () => {
  const text = encrypt("old", place, plain);
  expect(decrypt("new\nold", place, `${text}\n`)).toEqual(plain);
  expect(encrypt("old\nnew", place, plain)).toBe(text);
  expect(decrypt("key", place, encrypt("key", place, Buffer.of()))).toEqual(Buffer.of());
  expect([isEncrypted(text), isEncrypted("ug1"), isEncrypted(`x${text}`)]).toEqual([true, false, false]);
});

const text = encrypt("key", place, plain);

test.each([
  [undefined, "and here is none: give it as `state-key`, or UNTIL_GREEN_STATE_KEY"],
  [
    "other",
    "and here is another: add it as a further line of `state-key`, or UNTIL_GREEN_STATE_KEY. " +
      "If it is none of yours, somebody else wrote this record",
  ],
])("without its key (here is %s) it is refused, with the way to give it", (key, why) => {
  expect(() => decrypt(key, place, text)).toThrow(
    new BrokenLogError(`run run-001 is encrypted with the state key ${idOf(text)}, ${why}`),
  );
});

const [version, id, body = ""] = text.split(".");
const bytes = Buffer.from(body, "base64url");
const withBytes = (changed: Buffer) => [version, id, changed.toString("base64url")].join(".");
const flipped = (at: number) => {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return withBytes(copy);
};

test.each([
  ["its nonce", flipped(0)],
  ["its tag", flipped(12)],
  ["its last byte", flipped(bytes.length - 1)],
  ["its end", withBytes(bytes.subarray(0, -1))],
  ["all but a part of its tag", withBytes(bytes.subarray(0, 20))],
  ["everything", [version, id].join(".")],
])("a text is refused if it changed, or lost, %s", (_, changed) => {
  expect(() => decrypt("key", place, changed)).toThrow(
    new BrokenLogError("the record of run run-001 is damaged: its events was changed after it was encrypted"),
  );
});

test("what is no text of ours is refused", () => {
  expect(() => decrypt("key", place, "ug1")).toThrow("encrypted with the state key , and here is another");
});

test("a text is refused in the place of another one", () => {
  expect(() => decrypt("key", { ...place, what: "status" }, text)).toThrow("its status was changed");
  expect(() => decrypt("key", { ...place, run: "run-002" }, text)).toThrow("run run-002 is damaged");
});
