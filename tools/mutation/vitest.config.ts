import { env } from "node:process";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The fastest test files first: the first failed test ends the run of a mutant. */
class FastestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    return (await super.sort(files)).reverse();
  }
}

const tests = (env["MUTATION_TESTS"] ?? "").split(" ");
// Tests that compile workflows themselves need all parts loaded.
const isCompiling = tests.some((pattern) => pattern.includes("engine"));

export default defineConfig({
  test: {
    maxWorkers: 1,
    sequence: { sequencer: FastestFirst },
    projects: [
      {
        test: {
          name: "mutation",
          setupFiles: ["test/parts/asserts.ts", ...(isCompiling ? ["test/parts/loaded.ts"] : [])],
          include: tests,
          // A mutant may change what a module computes when it is loaded, so each test file loads its modules anew.
          isolate: true,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
