import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { git } from "../../src/git/git.ts";
import { hideCheckoutKeys } from "../../src/workspace/checkout-keys.ts";

const key = "AUTHORIZATION: basic c2VjcmV0";
const name = "http.https://github.com/.extraheader";

async function checkout() {
  const home = await mkdtemp(join(tmpdir(), "keys-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const cwd = join(home, "work");
  await mkdir(cwd);
  await git({ cwd, args: ["init", "--quiet"] });
  const set = (...args: readonly string[]) => git({ cwd, args: ["config", ...args] });
  const config = join(cwd, ".git", "config");
  return { home, cwd, set, config, text: () => readFile(config, "utf8") };
}

const readKey = async (cwd: string) =>
  (await git({ cwd, args: ["config", "--get-all", name], accept: [0, 1] })).out.trim();

test("a key that the checkout keeps is absent until it is restored, and everything else is unchanged", async () => {
  const { cwd, set, config, text } = await checkout();
  await set(name, key);
  await set("remote.origin.url", "https://github.com/a/b");
  await set("http.https://github.com/.proxy", "http://proxy.test");
  const before = await text();
  const hidden = await hideCheckoutKeys(cwd);
  expect(hidden.files).toEqual([config]);
  expect(await text()).not.toContain("c2VjcmV0");
  expect(await text()).toContain("proxy.test");
  hidden.putBack();
  hidden.putBack();
  expect(await text()).toBe(before);
});

test("so is one in a file that the settings only name, and those of submodules", async () => {
  const { home, cwd, set, config } = await checkout();
  const apart = join(home, "git-credentials-1.config");
  await writeFile(apart, `[http "https://github.com/"]\n\textraheader = ${key}\n`);
  await set(`includeIf.gitdir:${join(cwd, ".git")}.path`, apart);
  const inner = join(cwd, ".git", "modules", "libs", "one");
  await mkdir(inner, { recursive: true });
  await git({ cwd: inner, args: ["init", "--quiet", "--bare", inner] });
  await git({ cwd, args: ["config", "--file", join(inner, "config"), name, key] });
  const hidden = await hideCheckoutKeys(cwd);
  expect(hidden.files.toSorted()).toEqual([apart, join(inner, "config")].toSorted());
  for (const file of [apart, join(inner, "config"), config])
    expect(await readFile(file, "utf8")).not.toContain("c2VjcmV0");
  hidden.putBack();
  expect(await readKey(cwd)).toBe(key);
  expect(await readKey(inner)).toBe(key);
});

test("settings that others write meanwhile are kept", async () => {
  const { cwd, set } = await checkout();
  await set(name, key);
  const hidden = await hideCheckoutKeys(cwd);
  await set("user.name", "An Agent");
  hidden.putBack();
  expect(await readKey(cwd)).toBe(key);
  expect((await git({ cwd, args: ["config", "user.name"] })).out.trim()).toBe("An Agent");
});

test("it is not written through a link in its place", async () => {
  const { home, cwd, set, config } = await checkout();
  await set(name, key);
  const hidden = await hideCheckoutKeys(cwd);
  const elsewhere = join(home, "elsewhere");
  await rename(config, elsewhere);
  await symlink(elsewhere, config);
  hidden.putBack();
  expect(await readFile(elsewhere, "utf8")).not.toContain("c2VjcmV0");
});

test("where there is no key, or no checkout, nothing is touched", async () => {
  const { home, cwd, text } = await checkout();
  const before = await text();
  const hidden = await hideCheckoutKeys(cwd);
  hidden.putBack();
  expect([hidden.files, await text()]).toEqual([[], before]);
  expect((await hideCheckoutKeys(home)).files).toEqual([]);
});
