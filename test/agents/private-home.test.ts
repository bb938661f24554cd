import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { openPrivateHome } from "../../src/agents/cli/private-home.ts";
import { temporaryFolder } from "../workspace/playground.ts";

function stage() {
  const [theirs, artifacts] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(theirs, "skills"));
  for (const file of ["settings.json", "skills/mine.md", "login.json", "history"])
    writeFileSync(join(theirs, file), "mine");
  const own = {
    variable: "OWN_HOME",
    usual: basename(theirs),
    login: "login.json",
    settings: ["settings.json", "skills", "missing"],
  };
  const open = () =>
    openPrivateHome(own, { name: "one", environment: { PATH: "/bin", HOME: dirname(theirs) }, artifacts });
  const home = open();
  const path = home.environment["OWN_HOME"] ?? "";
  return { theirs, home, open, at: (file: string) => join(path, file) };
}

test.skipIf(process.platform === "darwin")(
  "a program finds the user's settings in a folder of its own, and changes them for itself only",
  () => {
    const { theirs, home, open, at } = stage();
    expect(home.environment["PATH"]).toBe("/bin");
    expect(readFileSync(at("skills/mine.md"), "utf8")).toBe("mine");
    expect(lstatSync(at("history"), { throwIfNoEntry: false })).toBeUndefined();
    writeFileSync(at("settings.json"), "changed");
    open();
    expect(readFileSync(at("settings.json"), "utf8")).toBe("changed");
    expect(readFileSync(join(theirs, "settings.json"), "utf8")).toBe("mine");
  },
);

test.skipIf(process.platform === "darwin")("a login that it renews is the user's, in whichever way", () => {
  const { theirs, home, at } = stage();
  const login = join(theirs, "login.json");
  expect(home.writable).toEqual([login]);
  writeFileSync(at("login.json"), "by the link");
  home.close();
  expect(readFileSync(login, "utf8")).toBe("by the link");
  rmSync(at("login.json"));
  writeFileSync(at("login.json"), "in its place");
  home.close();
  expect(readFileSync(login, "utf8")).toBe("in its place");
  expect(lstatSync(at("login.json")).isSymbolicLink()).toBe(true);
});
