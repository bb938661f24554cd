import { lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { watchPrograms } from "../../src/processes/program-watch.ts";

/** A folder of programs on PATH, and another that is not; returns once what is written counts as later. */
function openFolders() {
  const folder = mkdtempSync(join(tmpdir(), "path-watch-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [bin, other] = [join(folder, "bin"), join(folder, "other")];
  for (const path of [bin, other]) mkdirSync(path);
  for (const name of ["kept", "changed", "gone"]) writeFileSync(join(bin, name), "before\n");
  const tick = join(folder, "tick");
  // The system dates files to a few milliseconds.
  const settle = () => {
    writeFileSync(tick, "");
    const { ctimeMs: now } = lstatSync(tick);
    do writeFileSync(tick, "");
    while (lstatSync(tick).ctimeMs <= now);
  };
  settle();
  const changed = watchPrograms({ PATH: [bin, join(folder, "nothing"), "relative"].join(delimiter) });
  settle();
  return { bin, other, changed };
}

test("programs that are new or other ones are named, those that stayed or went are not", () => {
  const { bin, changed } = openFolders();
  writeFileSync(join(bin, "changed"), "after!\n");
  // An agent may set this time back, and not the one that counts.
  utimesSync(join(bin, "changed"), 1_000, 1_000);
  writeFileSync(join(bin, "new"), "");
  rmSync(join(bin, "gone"));
  expect(changed()).toEqual([join(bin, "changed"), join(bin, "new")]);
});

test("on a machine whose clock is ten years late, only those that changed are named", () => {
  vi.useFakeTimers({ now: Date.now() - 10 * 365 * 24 * 3_600_000, toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const { bin, changed } = openFolders();
  expect(changed()).toEqual([]);
  writeFileSync(join(bin, "changed"), "after!\n");
  expect(changed()).toEqual([join(bin, "changed")]);
});

test("a program that was moved there is new, however old it is", () => {
  const { bin, other, changed } = openFolders();
  writeFileSync(join(other, "moved"), "");
  utimesSync(join(other, "moved"), 1_000, 1_000);
  renameSync(join(other, "moved"), join(bin, "moved"));
  expect(changed()).toEqual([join(bin, "moved")]);
});

test("a folder in the place of another is named itself", () => {
  const { bin, other, changed } = openFolders();
  renameSync(bin, `${bin}.old`);
  renameSync(other, bin);
  expect(changed()).toEqual([bin]);
});
