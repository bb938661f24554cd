import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findFileSandbox } from "../../src/processes/file-sandbox.ts";

const environment = { PATH: process.env["PATH"] ?? "" };

test.skipIf(typeof findFileSandbox({ environment, writable: [] }) === "string")(
  "a socket that disappeared after it was found needs no mask",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "file-sandbox-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const sandbox = findFileSandbox({ environment, writable: [folder] });
    if (typeof sandbox === "string") throw new Error(sandbox);
    const gone = join(tmpdir(), "ssh-gone");
    const flags = sandbox.prefix([], { kept: [], masks: [gone], flags: [] });
    expect(flags).toContain(folder);
    expect(flags).not.toContain(gone);
  },
);
