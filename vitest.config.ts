import { readFileSync } from "node:fs";
import { join } from "node:path";
import { env, pid } from "node:process";
import { defineConfig, type Plugin } from "vitest/config";

const setupFiles = ["test/parts/whole.ts"];
const contract = ["test/adapters/**/*.test.ts", "test/parts/**/*.test.ts"];
const agents = ["test/agents/**/*.test.ts"];
// What takes minutes: whole workflows of several jobs, machines that are lost, the case files of native workflows.
const long = [
  "test/action/{act,continuation,endings,fake-green,grasping-agent,hosting,hostile,installed-agent,items,keeping,leaks,own-workflows,publish,publish-trouble,pull-request-run,ready-workflows,resume,vanish,written-over}.e2e.test.ts",
  "test/app/{homes,image}.test.ts",
  "test/cli/{bundle,git-store,travel}.test.ts",
  "test/examples/native-cases.test.ts",
  "test/pictures.e2e.test.ts",
];
// Needs GitHub's description of its API, of some hundred megabytes: `npm run test:api`.
const api = ["test/api/**/*.test.ts"];
const e2e = ["test/{action,app,cli,examples}/**/*.test.ts", "test/*.e2e.test.ts"];

// GitHub's parser imports JSON in a way that Node refuses and Vite does not, and names source maps it does not ship.
const parser = /@actions\/(workflow-parser|languageservice)/;
const server = { deps: { inline: [parser] } };
const withoutMaps: Plugin = {
  name: "without-maps",
  enforce: "pre",
  load: (id) => (parser.test(id) && id.endsWith(".js") ? { code: codeOf(id), map: null } : undefined),
};
const codeOf = (file: string) => readFileSync(file, "utf8").replace(/^\/\/# sourceMappingURL=.*$/m, "");

// Where CI counts what passed: a folder, with a report for each run of vitest.
const counted = env["UNTIL_GREEN_TEST_REPORT"];

export default defineConfig({
  test: {
    // Much of a test is waiting for processes: two at a time are well on two cores.
    maxWorkers: 2,
    reporters:
      counted === undefined
        ? ["default"]
        : ["default", ["json", { outputFile: join(counted, `${pid}.json`) }]],
    projects: [
      {
        test: {
          name: "unit",
          setupFiles,
          include: ["test/**/*.test.ts"],
          exclude: [...contract, ...e2e, ...agents, ...api],
          // Properties over many random cases take their time on a busy machine.
          testTimeout: 30_000,
        },
      },
      {
        plugins: [withoutMaps],
        test: {
          name: "contract",
          setupFiles,
          include: contract,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          server,
        },
      },
      {
        plugins: [withoutMaps],
        test: {
          name: "e2e",
          setupFiles,
          include: e2e,
          exclude: long,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          server,
        },
      },
      {
        plugins: [withoutMaps],
        test: { name: "long", setupFiles, include: long, testTimeout: 120_000, hookTimeout: 60_000, server },
      },
      {
        plugins: [withoutMaps],
        test: { name: "api", include: api, testTimeout: 300_000, server },
      },
      // Two at a time, as much of a case is waiting: more of these programs would be late for each other.
      { test: { name: "agents", include: agents, testTimeout: 120_000, maxWorkers: 2 } },
    ],
  },
});
