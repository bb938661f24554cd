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
      ...(whole.test?.projects ?? []).flatMap((project) => {
        if (typeof project !== "object" || !("test" in project)) return [];
        // Each mutant needs fresh modules: it may change what a module computes when it is loaded.
        return names.includes(String(project.test?.name))
          ? [{ ...project, test: { ...project.test, isolate: true } }]
          : [];
      }),
      { test: action },
    ],
  },
});
