import { expect, test } from "vitest";
import { openPart, UnloadedError, withParts } from "../../src/expr/part.ts";

test("a part that is not loaded yet says so, and how to load it", async () => {
  const part = openPart(async () => "content");
  expect(() => part.get()).toThrow(UnloadedError);
  await part.load();
  expect(part.get()).toBe("content");
});

test("a part is brought once", async () => {
  let brought = 0;
  const part = openPart(async () => ++brought);
  await part.load();
  await part.load();
  expect([part.get(), brought]).toEqual([1, 1]);
});

test("work that needs parts is done again with each, and its own errors are its own", async () => {
  const [one, two] = [openPart(async () => 1), openPart(async () => 2)];
  expect(await withParts(() => one.get() + two.get())).toBe(3);
  await expect(
    withParts(() => {
      throw new TypeError("its own");
    }),
  ).rejects.toThrow("its own");
});
