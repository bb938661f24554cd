/**
 * `npm run mutation [-- --one-in N] [--seed S] [--concurrency C] [ROOM...]`: mutates the code of a room and runs the
 * tests that reach each place. A mutant that no test notices has survived. Prints the survivors and the share of
 * noticed mutants by room, and fails below the goal of 85 %. With `--one-in`, only a sample of the mutants runs; the
 * same seed draws the same sample.
 *
 * Only tests that import what they test take part: programs that a test starts do not see mutants. Stryker does not
 * get `tsconfig.json`, whose paths it would rewrite: TypeScript 7 has no API for that.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { env, execPath, exit } from "node:process";
import { parseArgs } from "node:util";

const goal = 0.85;
const tool = "tools/mutation/node_modules/@stryker-mutator/core/bin/stryker.js";

// The tests that reach a room, without those that take many seconds for each mutant: random workflows, hosts and disks
// that fail at every call.
const engine = "test/engine/**/*.test.ts";
const runner = "test/runner/!(two-machines|simulation|resume).test.ts";
const rooms: Readonly<Record<string, readonly string[]>> = {
  "src/decisions": ["test/{decisions,status}/*.test.ts", engine, runner],
  "src/stops": ["test/stops/*.test.ts", "test/engine/{loop,graph,ends,escalate}.test.ts"],
  "src/engine": [
    engine,
    "test/stops/*.test.ts",
    "test/dialects/{cases,native/*,steps/*,blocks/*,loops/*}.test.ts",
    runner,
  ],
  "src/runner": ["test/runner/!(two-machines).test.ts", "test/engine/{budget,gate,ends,attempts}.test.ts"],
  "src/stores/git": [
    "test/stores/git/*.test.ts",
    "test/stores/git-{baggage,claims,encryption,prune,rhythm}.test.ts",
  ],
  "src/stores": [
    "test/stores/!(git-*|bundle).test.ts",
    "test/stores/{bundle-file,git-store-options,rest/*,git/held-run,git/transfer-snapshots}.test.ts",
  ],
  "src/key-proxy": ["test/key-proxy/*.test.ts"],
  "action/publish": ["test/action/{publish,github}/*.test.ts", "test/action/green.test.ts"],
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "one-in": { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    concurrency: { type: "string", default: "2" },
  },
});
if (!existsSync(tool)) {
  console.error("Stryker is not installed. Install it with: npm ci --prefix tools/mutation");
  exit(1);
}
const rows = (positionals.length > 0 ? positionals : Object.keys(rooms)).map((room) => mutate(room));
console.table(rows);
if (rows.some(({ share }) => share < goal)) exit(1);

/** The drawn mutants of one room. */
function mutate(room: string) {
  const tests = Object.entries(rooms).find(([name]) => room.startsWith(name))?.[1];
  if (tests === undefined) throw new Error(`No tests are listed for ${room}.`);
  // A room inside it is one of its own.
  const inside = Object.keys(rooms).filter((other) => other.startsWith(`${room}/`));
  const changed = [`${room}/**/*.ts`, ...inside.map((other) => `!${other}/**`)].join(",");
  const config = ["tools/mutation/stryker.config.json", "--concurrency", values.concurrency];
  const { status } = spawnSync(execPath, [tool, "run", ...config, "--mutate", changed], {
    stdio: "inherit",
    env: {
      ...env,
      MUTATION_TESTS: tests.join(" "),
      MUTATION_ONE_IN: values["one-in"],
      MUTATION_SEED: values.seed,
    },
  });
  if (status !== 0) throw new Error(`Stryker failed in ${room} with exit code ${status}.`);
  const { files } = JSON.parse(readFileSync("reports/mutation.json", "utf8")) as Report;
  const mutants = Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants.map((mutant) => ({ ...mutant, file, source })),
  );
  const survivors = mutants.filter(({ status }) => status === "Survived" || status === "NoCoverage");
  const noticed = mutants.filter(({ status }) => status === "Killed" || status === "Timeout").length;
  for (const survivor of survivors) console.log(described(survivor));
  const tried = noticed + survivors.length;
  return { room, mutants: mutants.length, tried, noticed, share: Number((noticed / tried).toFixed(3)) };
}

function described({ file, source, status, location: { start, end }, replacement }: Mutant & Where): string {
  const lines = source.split("\n").slice(start.line - 1, end.line);
  const text = lines.join("\n").slice(start.column - 1, lines.length > 1 ? undefined : end.column - 1);
  const short = (words: string) => words.replace(/\s+/g, " ").slice(0, 160);
  return `${file}:${start.line}:${start.column} ${status}\n  - ${short(text)}\n  + ${short(replacement)}`;
}

/** The fields of Stryker's report that are read: https://github.com/stryker-mutator/mutation-testing-elements */
interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}
interface Mutant {
  readonly status: string;
  readonly replacement: string;
  readonly location: { readonly start: Place; readonly end: Place };
}
interface Place {
  readonly line: number;
  readonly column: number;
}
interface Where {
  readonly file: string;
  readonly source: string;
}
