import { expect, test } from "vitest";
import { mutant, readingFault, shippedWorkflows } from "../parts/mutants.ts";

// 100,000 of them: `npm run mutants`.
test("a damaged workflow file is a plan or is refused with a place, and breaks nothing", async () => {
  const files = shippedWorkflows();
  const found: string[] = [];
  for (let number = 0; number < 1_000; number += 1) {
    const fault = await readingFault(mutant(files, number));
    if (fault !== undefined) found.push(`npm run mutants -- ${number}: ${fault}`);
  }
  expect(found).toEqual([]);
});
