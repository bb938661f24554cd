import { expect, test } from "vitest";
import { memoryStore } from "../../src/stores/memory.ts";
import { keepsTheLogStoreContract } from "./log-store.contract.ts";

keepsTheLogStoreContract("the memory store", () => memoryStore());

test("a memory store can begin with runs, which it copies", async () => {
  const start = { "run-001": ["a"] };
  const store = memoryStore(start);
  await store.append("run-001", 1, ["b"]);
  expect(await store.read("run-001")).toEqual(["a", "b"]);
  expect(start).toEqual({ "run-001": ["a"] });
});
