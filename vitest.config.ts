import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { env, pid } from "node:process";
import { defineConfig, type Plugin } from "vitest/config";
import { ByDuration } from "./test/parts/by-duration.ts";
import { SlowestFiles } from "./test/parts/slowest-files.ts";

// The name of a test file says when it runs: `*.test.ts` with `npm test`, `*.long.test.ts` before a change lands,
// `*.nightly.test.ts` each night and before a release. Its folder says what it needs.
const quick = (folders: string) => `test/${folders}**/!(*.long|*.nightly).test.ts`;
const long = (folder: string) => `test/${folder}**/*.long.test.ts`;
const adapters = "{agents,git,github,key-proxy,local,parts,processes,stores,workspace}/";
const programs = "{action,app,cli,examples}/";
// What has needs of its own: many ecosystems, the real agents, GitHub's description of its API.
const special = "{api,forgeries,honest,real-agents}/";

// GitHub's parser imports JSON in a way that Node refuses and Vite does not, and names source maps it does not ship.
const parser = /@actions\/(workflow-parser|languageservice)/;
const server = { deps: { inline: [parser] } };
const withoutMaps: Plugin = {
  name: "without-maps",
  enforce: "pre",
  load: (id) => (parser.test(id) && id.endsWith(".js") ? { code: codeOf(id), map: null } : undefined),
};
const codeOf = (file: string) => readFileSync(file, "utf8").replace(/^\/\/# sourceMappingURL=.*$/m, "");

const setupFiles = ["test/parts/asserts.ts"];
// Tests that compile workflows themselves need all parts loaded; it takes 0.2 s a file.
const withAllParts = [...setupFiles, "test/parts/loaded.ts"];
const globalSetup = ["test/parts/built.ts"];
// Real git and processes take several times as long on a busy machine.
const patient = { testTimeout: 120_000, hookTimeout: 180_000, globalSetup, server };

// Files share the modules of their worker: to load them for each file took longer than the unit tests. A test puts back
// what it changes, such as a variable of the environment.
const isolate = false;

// Two for each core: most tests wait for processes, servers and leases half of their time.
const workers = 2 * availableParallelism();

// Sources that a test starts as a program are compiled once, and not at each start.
env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules/.cache/compile");

// Where CI counts what passed: a folder, with a report for each run of vitest.
const counted = env["UNTIL_GREEN_TEST_REPORT"];
const report: [string, Record<string, unknown>] = [
  "json",
  { outputFile: join(counted ?? "", `${pid}.json`) },
];

export default defineConfig({
  plugins: [withoutMaps],
  test: {
    maxWorkers: workers,
    sequence: { sequencer: ByDuration },
    reporters: ["default", new SlowestFiles(), ...(counted === undefined ? [] : [report])],
    projects: [
      {
        test: {
          name: "unit",
          setupFiles: withAllParts,
          include: [quick("")],
          exclude: [quick(adapters), quick(programs), quick(special), "test/*.e2e.test.ts"],
          isolate,
          // Properties over many random cases take their time on a busy machine.
          testTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: { name: "contract", setupFiles, include: [quick(adapters)], isolate, ...patient },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          setupFiles,
          include: [quick(programs), "test/*.e2e.test.ts"],
          isolate,
          ...patient,
        },
      },
      {
        extends: true,
        test: {
          name: "long",
          setupFiles: withAllParts,
          include: [long("")],
          exclude: [long(special)],
          isolate,
          ...patient,
        },
      },
      // Tests run at the same time, so their assertions cannot be counted one by one.
      {
        extends: true,
        test: {
          name: "forgeries",
          include: [long("{forgeries,honest}/")],
          ...patient,
          // They compile and start test runners, and wait for nothing else.
          maxConcurrency: availableParallelism(),
          testTimeout: 600_000,
        },
      },
      { extends: true, test: { name: "agents", setupFiles, include: [long("real-agents/")], ...patient } },
      {
        extends: true,
        test: { name: "api", setupFiles, include: [long("api/")], ...patient, testTimeout: 300_000 },
      },
      {
        extends: true,
        test: {
          name: "nightly",
          setupFiles: withAllParts,
          include: ["test/**/*.nightly.test.ts"],
          ...patient,
        },
      },
    ],
  },
});
