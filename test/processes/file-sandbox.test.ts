import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findFileSandbox } from "../../src/processes/file-sandbox.ts";
import { makeMissingCaches } from "../../src/processes/tool-caches.ts";

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

test.skipIf(typeof findFileSandbox({ environment, writable: [] }) === "string")(
  "in both homes Java's caches are writable, except for the tools in them, and keys are hidden",
  () => {
    const homes = ["home", "listed"].map((name) => mkdtempSync(join(tmpdir(), `${name}-`)));
    onTestFinished(() => homes.forEach((home) => void rmSync(home, { recursive: true, force: true })));
    const tool = ".gradle/wrapper/dists/gradle-9/abc/gradle-9";
    for (const home of homes)
      for (const path of [tool, ".ssh"]) mkdirSync(join(home, path), { recursive: true });
    const sandbox = findFileSandbox({ environment, writable: [], homes });
    if (typeof sandbox === "string") throw new Error(sandbox);
    const flags = sandbox.prefix([], { kept: [], masks: [], flags: [] }).join(" ");
    for (const home of homes) {
      expect(flags).toContain(`--bind ${home}/.gradle ${home}/.gradle`);
      expect(flags).toContain(`--ro-bind ${home}/.gradle/wrapper/dists/gradle-9/abc`);
      expect(flags).toContain(`--tmpfs ${home}/.ssh`);
    }
  },
);

test("Java's caches are created in both homes, where Java is installed", () => {
  const homes = ["home", "listed"].map((name) => mkdtempSync(join(tmpdir(), `${name}-`)));
  onTestFinished(() => homes.forEach((home) => void rmSync(home, { recursive: true, force: true })));
  const bin = join(homes[0] ?? "", "bin");
  mkdirSync(bin);
  for (const name of ["java", "npm"]) writeFileSync(join(bin, name), "", { mode: 0o755 });
  makeMissingCaches({ PATH: bin }, homes);
  const made = (name: string) => homes.map((home) => existsSync(join(home, name)));
  expect([".gradle", ".m2/repository", ".npm"].map(made)).toEqual([
    [true, true],
    [true, true],
    [true, false],
  ]);
});

test.skipIf(typeof findFileSandbox({ environment, writable: [] }) === "string")(
  "a cache whose folder became a link since the start is not mounted, and the start is refused",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "file-sandbox-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const cache = join(folder, "checkout/.cache/pip");
    for (const path of [cache, join(folder, "bin/pip")]) mkdirSync(path, { recursive: true });
    const writable = [join(folder, "checkout")];
    const sandbox = findFileSandbox({ environment: { ...environment, PIP_CACHE_DIR: cache }, writable });
    if (typeof sandbox === "string") throw new Error(sandbox);
    const start = () => sandbox.prefix([], { kept: [], masks: [], flags: [] });
    const flags = start().join(" ");
    for (const path of [cache, join(cache, "..")]) expect(flags).toContain(`--bind ${path} ${path}`);
    renameSync(join(cache, ".."), join(folder, "checkout/x"));
    symlinkSync("../bin", join(cache, ".."));
    expect(start).toThrow(`${cache} leads to ${join(folder, "bin/pip")} since`);
  },
);
