import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { oneShot } from "../../src/cli/init/one-shot.ts";
import { openFolder } from "../parts/terminal.ts";

test.each([
  ["vitest", "npx vitest run"],
  ["vitest --coverage", "npx vitest run --coverage"],
  ["vitest watch", "npx vitest run"],
  ["NODE_ENV=test vitest -w", "NODE_ENV=test npx vitest run"],
  ["cross-env TZ=UTC vitest", "TZ=UTC npx vitest run"],
  ["tsc --noEmit && vitest", "npx tsc --noEmit && npx vitest run"],
  ["jest --watch", "npx jest"],
  ["jest --watchAll=true --ci", "npx jest --ci"],
  ["mocha --watch test", "npx mocha test"],
  ["node --test --watch", "node --test"],
  ["nodemon --exec 'node --test'", "node --test"],
  ['nodemon -w src -x "mocha test"', "npx mocha test"],
  ["ng test", "npx ng test --watch=false"],
  ["karma start karma.conf.js", "npx karma start karma.conf.js --single-run"],
])("the script %j watches, so init writes %j", (script, once) => {
  expect(oneShot(script, "npx")).toBe(once);
});

test.each([
  "vitest run",
  "vitest --run",
  "jest",
  "mocha test",
  "node --test",
  "node watch-tests.js",
  "ng test --no-watch",
  "karma start --single-run",
  "turbo run test",
  "vitest | tee log",
])("the script %j is written as it is", (script) => {
  expect(oneShot(script, "npx")).toBe(undefined);
});

test("init writes the command that runs once for a script that watches", async () => {
  const folder = openFolder();
  folder.write({ "package.json": JSON.stringify({ scripts: { test: "vitest" } }), "pnpm-lock.yaml": "" });
  const { stderr } = await folder.run("init", "--no-try-check");
  expect(stderr).toContain("found pnpm: pnpm exec vitest run\n");
  expect(stderr).toContain("the script `test` (vitest) keeps watching for changes");
  const loop = readFileSync(join(folder.path, ".github/loops/fix-tests.yml"), "utf8");
  expect(loop).toContain("until_bash: pnpm exec vitest run\n");
});

test("init stops a check that waits for changes at once, and says what to write", async () => {
  const folder = openFolder();
  folder.write({
    "watch.sh": "echo ' FAIL  Tests failed. Watching for file changes...'; echo 'VITEST'; sleep 100; true",
  });
  const { stderr } = await folder.run("init", "--check", "bash watch.sh");
  expect(stderr).toContain(
    "the tests ran, then `bash watch.sh` kept waiting for changes: give a command that ends",
  );
  expect(stderr).not.toContain("Try it here");
  expect(stderr).toContain("Make the check run: it is `until_bash` in .github/loops/fix-tests.yml\n");
});

test("after a check that cannot run, init does not say to try the loop", async () => {
  const { stderr } = await openFolder().run("init", "--check", "no-such-tool test");
  expect(stderr).toContain("it cannot run (exit 127)");
  expect(stderr).not.toContain("Try it here");
});
