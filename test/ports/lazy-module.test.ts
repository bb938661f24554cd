import { expect, test } from "vitest";
import { lazyModule, NotLoadedError, withLazyModules } from "../../src/ports/lazy-module.ts";

test("a part that is not loaded yet says so, and how to load it", async () => {
  const part = lazyModule(async () => "content");
  expect(() => part.get()).toThrow(NotLoadedError);
  await part.load();
  expect(part.get()).toBe("content");
});

test("a part is brought once", async () => {
  let brought = 0;
  const part = lazyModule(async () => ++brought);
  await part.load();
  await part.load();
  expect([part.get(), brought]).toEqual([1, 1]);
});

test("work that needs parts is done again with each, and its own errors are its own", async () => {
  const [one, two] = [lazyModule(async () => 1), lazyModule(async () => 2)];
  expect(await withLazyModules(() => one.get() + two.get())).toBe(3);
  await expect(
    withLazyModules(() => {
      throw new TypeError("its own");
    }),
  ).rejects.toThrow("its own");
});
