/**
 * Measures what an honest green costs: seconds from the agent's last word to the verdict, beside the bare check in the
 * same checkout, warm. Projects come from their registries into `node_modules/.cache/green`. `npm run bench:green`, or
 * `npm run bench:green -- cobra npm` for some of them. @module
 */
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Row, row } from "./bench/bench.ts";
import { median } from "./bench/figures.ts";
import { print, rowsOfAll } from "./bench/table.ts";

interface Project {
  /** Bash that puts the project in the current folder. */
  readonly get: string;
  readonly check: string;
  /** A file, what the fix has there, and what the bug has. */
  readonly bug: readonly [file: string, right: string, wrong: string];
}

const go = "github.com/spf13/cobra@v1.10.1";
const projects: Readonly<Record<string, Project>> = {
  npm: {
    get: `cat >package.json <<'END'
{ "name": "sample", "private": true, "scripts": { "test": "mocha" }, "devDependencies": { "mocha": "11.7.1" } }
END
mkdir test && echo 'exports.add = (a, b) => a + b;' >add.js
echo 'it("adds", () => require("assert").equal(require("../add.js").add(1, 2), 3));' >test/add.js
echo node_modules >.gitignore && npm install --silent --no-audit --no-fund`,
    check: "npm test",
    bug: ["add.js", "a + b", "a - b"],
  },
  cobra: {
    get: `go mod download ${go} && cp -r "$(go env GOMODCACHE)/${go}/." . && chmod -R u+w . && go mod download`,
    // As root, a folder that cannot be written to can.
    check: "go test -skip TestFailGen ./...",
    bug: ["args.go", "if len(args) > n {", "if len(args) > n+1 {"],
  },
  click: {
    get: "python3 -m pip download --quiet --no-deps --no-binary :all: click==8.1.8 -d .. && tar xzf ../click-8.1.8.tar.gz --strip-components=1",
    check: "PYTHONPATH=src python3 -m pytest -q -W ignore::pytest.PytestRemovedIn10Warning",
    bug: [
      "src/click/utils.py",
      "def make_default_short_help(help: str, max_length: int = 45)",
      "def make_default_short_help(help: str, max_length: int = 44)",
    ],
  },
  bytes: {
    get: "curl -sSfL https://static.crates.io/crates/bytes/bytes-1.10.1.crate | tar xz --strip-components=1 && cargo fetch -q",
    check: "cargo test",
    bug: ["src/bytes.rs", "self.len == 0", "self.len == 1"],
  },
  zod: {
    get: `npm pack --silent zod@4.1.12 --pack-destination .. && tar xzf ../zod-4.1.12.tgz --strip-components=1
find . -mindepth 1 -maxdepth 1 ! -name src -exec rm -rf {} + && echo node_modules >.gitignore
echo '{ "name": "zod", "type": "module", "private": true, "devDependencies": { "vitest": "3.2.4" } }' >package.json
echo 'import { fileURLToPath } from "node:url";
const here = fileURLToPath(new URL(".", import.meta.url));
export default { test: { alias: [{ find: /^zod\\/(.*)$/, replacement: here + "src/$1/index.ts" }] } };' >vitest.config.js
npm install --silent --no-audit --no-fund`,
    check: "npx vitest run src/v4/classic/tests/[g-q]*.test.ts",
    bug: ["src/v4/core/util.ts", "return input === null || input === undefined", "return input === null"],
  },
};

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const run = promisify(execFile);
const cache = resolve("node_modules/.cache/green");

async function measure(
  { get, check, bug: [file, right, wrong] }: Project,
  name: string,
): Promise<readonly Row[]> {
  const top = await fetched(name, get);
  const work = join(cache, "work", name);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(join(cache, "work"), { recursive: true });
  cpSync(top, work, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  const fixed = readFileSync(join(work, file), "utf8");
  if (!fixed.includes(right)) throw new Error(`${file} of ${name} no longer has ${right}`);
  const broken = fixed.replace(right, wrong);
  const bash = (script: string) => run("bash", ["-c", script], { cwd: work, maxBuffer: 2 ** 28 });
  // Warm, as a developer's checkout is.
  await bash(check);
  writeFileSync(join(cache, "fixed"), fixed);
  const agent = `cp "${cache}/fixed" "${file}"; sleep 1`;
  writeFileSync(join(cache, "agent.sh"), agent);
  writeFileSync(join(work, file), broken);
  writeFileSync(join(work, "loop.yml"), loopOf(check));
  await bash(
    "rm -rf .git; git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm start",
  );
  const { stdout } = await bash(`node ${resolve("dist/until-green.js")} run loop.yml --json || true`);
  const events = stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  const ended = events.find(({ type }) => type === "run.ended");
  const stop = events.findLast(({ type }) => type === "stop.tested");
  if (stop?.verdict !== "done") throw new Error(`${name} did not end green: ${stop?.because ?? stdout}`);
  const answered = events.findLast(({ type }) => type === "agent.answered");
  const value = Date.parse(ended.at) - Date.parse(answered.at);
  const times: number[] = [];
  for (let time = 0; time < 3; time++) {
    // The fix is compiled each time.
    writeFileSync(join(work, file), broken);
    await bash(`${check} || true`);
    writeFileSync(join(work, file), fixed);
    const startedAt = performance.now();
    await bash(check);
    times.push(performance.now() - startedAt);
  }
  const bare = median(times);
  const goal = ["≤ 1.3x + 3 s", value <= 1.3 * bare + 3000] as const;
  const what = `${name}: the verdict after the agent (fresh clone: ${stop.clean?.result})`;
  return [row(what, seconds, { value, than: [bare, "a bare check"], goal })];
}

async function fetched(name: string, get: string): Promise<string> {
  const top = join(cache, name, "top");
  if (existsSync(top)) return top;
  const draft = join(cache, name, "draft");
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  await run("bash", ["-ec", get], { cwd: draft, maxBuffer: 2 ** 28 });
  if (readdirSync(draft).length === 0) throw new Error(`nothing came for ${name}`);
  renameSync(draft, top);
  return top;
}

/** An agent that fixes the bug at once, and notes when it was done. */
const loopOf = (check: string) => `name: green
nodes:
  - id: fix
    agent: "command:bash ${cache}/agent.sh"
    loop:
      prompt: fix it
      until_bash: ${JSON.stringify(check)}
      max_iterations: 1
      check: { baseline: true }
`;

/** Asked for by name, or all. */
const names = process.argv.slice(2);
print(await rowsOfAll(projects, names.length > 0 ? names : Object.keys(projects), measure));
