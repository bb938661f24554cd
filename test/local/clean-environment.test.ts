import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cleanEnvironment } from "../../src/local/clean-environment.ts";

test.each([
  ["package-lock.json", undefined],
  ["pnpm-lock.yaml", "the old store"],
])("npm, which warns about pnpm's store, does not get its variable: %s", (lock, seen) => {
  const root = mkdtempSync(join(tmpdir(), "until-green-test-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [old, home, checkout] = [join(root, "old"), join(root, "home"), join(root, "checkout")];
  const store = join(old, ".local/share/pnpm/store");
  for (const folder of [store, home, join(checkout, "packages/a")]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(checkout, lock), "");
  const cwd = join(checkout, "packages/a");
  const environment = cleanEnvironment({ HOME: old }, { home, root, cwd, path: "/usr/bin" });
  expect(environment["npm_config_store_dir"]).toBe(seen && store);
  expect(environment["pnpm_config_store_dir"]).toBe(store);
});
