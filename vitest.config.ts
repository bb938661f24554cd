import { readFileSync } from "node:fs";
import { join } from "node:path";
import { env, pid } from "node:process";
import { defineConfig, type Plugin } from "vitest/config";

const setupFiles = ["test/parts/asserts.ts"];
// Tests that compile workflows themselves need all parts loaded; it takes 0.2 s a file.
const withAllParts = [...setupFiles, "test/parts/loaded.ts"];
const contract = [
  "test/{agents,git,github,key-proxy,local,processes,stores,workspace}/**/*.test.ts",
  "test/parts/**/*.test.ts",
];
const agents = ["test/real-agents/**/*.test.ts"];
// Repositories of many ecosystems, with agents that cheat: `npm run test:forgeries`.
const forgeries = ["test/forgeries/**/*.test.ts"];
// What takes minutes: whole workflows of several jobs, machines that are lost, the case files of native workflows.
const long = [
  "test/**/*.long.test.ts",
  "test/action/{act,api-commits,app-token,comment,continuation,doubts,endings,enterprise,fake-green,grasping-agent,hosting,hostile,installed-agent,issue,items,keeping,late-reviewers,leaks,model-access,own-workflows,plan-jobs,publish,publish-trouble,preflight,pull-request-run,read-only-token,ready-workflows,rerun,resume,series,trace,until-merged,vanish,written-over}.e2e.test.ts",
  "test/agents/{cli/cli-agent,failures,strange-answers}.test.ts",
  "test/app/{comment,homes,image,late,once,retention,unnamed,votes}.test.ts",
  "test/cli/{afterwards,api-agent,bundle,clock-jumps,confusing,convert,durable,eval,full-disk,git-store,init,output,protect-travels,resumes-at-once,run-ids,steps,subfolder,trace,travel,words}.test.ts",
  "test/convert/convert-alike.test.ts",
  "test/examples/{eval,loops,native-cases,seeds,blocks-dialect,loops-dialect}.test.ts",
  "test/{honest-green,pictures}.e2e.test.ts",
  "test/runner/two-machines.test.ts",
  "test/stores/{bundle,git-cost,git-damaged-here,git-faults,git-lost,git-offline,git-ref}.test.ts",
];
// Needs GitHub's description of its API, of some hundred megabytes: `npm run test:api`.
const api = ["test/api/**/*.test.ts"];
// Escapes and their guards, with real processes of an ordinary user.
const security = ["test/security/**/*.test.ts"];
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

// Files share the modules of their worker: to load them for each file took longer than the unit tests. A test puts back
// what it changes, such as a variable of the environment.
const isolate = false;

// Sources that a test starts as a program are compiled once, and not at each start.
env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules/.cache/compile");

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
          setupFiles: withAllParts,
          include: ["test/**/*.test.ts"],
          exclude: [...contract, ...e2e, ...long, ...agents, ...api, ...forgeries, ...security],
          isolate,
          // Properties over many random cases take their time on a busy machine.
          testTimeout: 120_000,
        },
      },
      {
        plugins: [withoutMaps],
        test: {
          name: "contract",
          setupFiles,
          include: contract,
          exclude: long,
          isolate,
          // Real git and processes take several times as long on a busy machine.
          testTimeout: 120_000,
          hookTimeout: 120_000,
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
          isolate,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          server,
        },
      },
      {
        plugins: [withoutMaps],
        test: {
          name: "long",
          setupFiles: withAllParts,
          include: long,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          server,
        },
      },
      {
        plugins: [withoutMaps],
        test: { name: "api", setupFiles, include: api, testTimeout: 300_000, server },
      },
      {
        test: { name: "security", setupFiles, include: security, testTimeout: 120_000, hookTimeout: 180_000 },
      },
      // A fresh clone of Go builds the standard library. Tests run at the same time, so their assertions cannot be
      // counted one by one.
      { test: { name: "forgeries", include: forgeries, testTimeout: 600_000 } },
      // Four at a time on two cores: a case of these programs waits for half of its time.
      { test: { name: "agents", setupFiles, include: agents, testTimeout: 120_000, maxWorkers: 4 } },
    ],
  },
});
