import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderAt, openFolder, typed } from "../parts/terminal.ts";

test("npm does not advertise its new version in the output of the demo's tests", async () => {
  const folder = openFolder();
  folder.write({ "bin/npm": '#!/bin/sh\necho "notifier: $npm_config_update_notifier"\n' });
  chmodSync(join(folder.path, "bin/npm"), 0o755);
  const PATH = `${join(folder.path, "bin")}:${process.env["PATH"]}`;
  const env = { ...typed(), PATH, TMPDIR: folder.path, npm_config_update_notifier: undefined };
  const { code, stderr } = await folderAt(folder.path, env).run("demo");
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("notifier: false") });
});
