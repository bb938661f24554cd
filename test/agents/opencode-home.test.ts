import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withoutInstall } from "../../src/agents/opencode-home.ts";
import { temporaryFolder } from "../workspace/playground.ts";

const homeWith = (files: Readonly<Record<string, string>>) => {
  const home = temporaryFolder();
  const folder = join(home, ".config", "opencode");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { folder, environment: { HOME: home } };
};

test("an unconfigured opencode finds its plugin packages installed, until the last call is over", () => {
  const { folder, environment } = homeWith({});
  const [one, other] = [withoutInstall(environment), withoutInstall(environment)];
  expect(readdirSync(folder).sort()).toEqual([".gitignore", "node_modules", "package-lock.json"]);
  expect(readFileSync(join(folder, "package-lock.json"), "utf8")).toContain("@opencode-ai/plugin");
  one();
  expect(existsSync(join(folder, "node_modules"))).toBe(true);
  other();
  expect(readdirSync(folder)).toEqual([".gitignore"]);
});

test("what a killed call left there is taken away by the next", () => {
  const killed = homeWith({ ".gitignore": "node_modules\n" });
  withoutInstall(killed.environment);
  const { folder, environment } = homeWith({});
  cpSync(killed.folder, folder, { recursive: true });
  withoutInstall(environment)();
  expect(readdirSync(folder)).toEqual([".gitignore"]);
});

test.each(["plugin/mine.ts", "package.json", "opencode.json", "node_modules/mine/index.js"])(
  "a folder with a %s in it is its owner's, and stays as it is",
  (file) => {
    const { folder, environment } = homeWith({ [file]: "mine", ".gitignore": "node_modules\n" });
    const before = readdirSync(folder, { recursive: true });
    withoutInstall(environment)();
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
  },
);

test("what came meanwhile is not taken away", () => {
  const { folder, environment } = homeWith({});
  const undo = withoutInstall(environment);
  writeFileSync(join(folder, "opencode.json"), "{}");
  undo();
  expect(existsSync(join(folder, "opencode.json"))).toBe(true);
});
