import { expect, test } from "vitest";
import { toolsInUse } from "../../src/checks/tools-in-use.ts";

// With a search whose time grows with the square of the length, this takes longer than a test may.
test("the check may be a large program without a space in it", () => {
  const program = "\0./&".repeat(20_000);
  const checkout = {
    paths: ["unit"],
    text: (path: string) => (path === "unit" ? `${program}/vitest` : undefined),
  };
  expect(toolsInUse(["./unit"], checkout).tools).toContain("vitest");
});
