import { defineConfig } from "vitest/config";
import whole from "../../vitest.config.ts";

// The tests that import what they test. Others start whole programs, in which nothing is changed.
const names = ["unit", "contract"];
const action = {
  name: "action",
  setupFiles: ["test/parts/asserts.ts", "test/parts/loaded.ts"],
  include: ["test/action/**/*.test.ts"],
  exclude: ["**/*.{e2e,long}.test.ts"],
};

export default defineConfig({
  test: {
    maxWorkers: 1,
    projects: [
      ...(whole.test?.projects ?? []).filter(
        (project) =>
          typeof project === "object" && "test" in project && names.includes(String(project.test?.name)),
      ),
      { test: action },
    ],
  },
});
