import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { dropReserve, reserveSpace, useReserve } from "../../src/stores/reserve-space.ts";

const full = Object.assign(new Error("full"), { code: "ENOSPC" });

function open() {
  const folder = mkdtempSync(join(tmpdir(), "reserve-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, path: join(folder, "reserve") };
}

test("space for one more answer is reserved once, and released", () => {
  const { folder, path } = open();
  reserveSpace(folder);
  expect(statSync(path).size).toBe(512 * 1024);
  writeFileSync(path, "x".repeat(512 * 1024));
  reserveSpace(folder);
  expect(readFileSync(path, "latin1").startsWith("x")).toBe(true);
  // What an earlier process could not finish is written anew.
  writeFileSync(path, "x");
  reserveSpace(folder);
  expect(statSync(path).size).toBe(512 * 1024);
  dropReserve(folder);
  dropReserve(folder);
  expect(existsSync(path)).toBe(false);
});

test("a reserve is used only for a full disk, and once", () => {
  const { folder, path } = open();
  expect(useReserve(folder, full)).toBe(false);
  reserveSpace(folder);
  expect(useReserve(folder, new Error("other"))).toBe(false);
  expect(existsSync(path)).toBe(true);
  expect([useReserve(folder, full), existsSync(path), useReserve(folder, full)]).toEqual([
    true,
    false,
    false,
  ]);
});

test("where nothing can be reserved, the error of the disk is thrown", () => {
  const { folder, path } = open();
  mkdirSync(path);
  expect(() => reserveSpace(folder)).toThrow("EISDIR");
  expect(() => reserveSpace(join(folder, "none"))).toThrow("ENOENT");
});
