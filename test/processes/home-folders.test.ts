import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { homesOf } from "../../src/processes/home-folders.ts";
import { readOnlyFiles } from "../../src/processes/read-only-files.ts";
import { daemonFolders, startupFiles } from "../../src/processes/tool-files.ts";

test("a job's container has another HOME than its user", () => {
  expect(homesOf({ HOME: "/github/home" }, "/root")).toEqual(["/github/home", "/root"]);
  expect(homesOf({ HOME: "/root" }, "/root")).toEqual(["/root"]);
  expect(homesOf({ HOME: "/github/home" }, "")).toEqual(["/github/home"]);
});

test("what programs start or obey is read-only in both homes", () => {
  const environment = { HOME: "/github/home" };
  const listed = userInfo().homedir;
  for (const home of ["/github/home", listed]) {
    expect(readOnlyFiles(environment)).toContain(join(home, ".gitconfig"));
    expect(startupFiles(environment)).toContain(join(home, ".gradle/init.d"));
  }
  expect(daemonFolders(environment).filter((path) => path.startsWith("/github/home"))).toEqual([]);
});
