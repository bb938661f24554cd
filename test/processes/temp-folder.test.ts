import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openPrivateTempDir, sweepPrivateTempDirs } from "../../src/processes/private-temp-dir.ts";
import { makeTempFolder, sweepTempFolders } from "../../src/processes/temp-folder.ts";

const top = mkdtempSync(join(tmpdir(), "temp-folder-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** What a process makes that is killed at once. */
function leftBehind(place: string): string {
  const script = `
    const { makeTempFolder } = await import(${JSON.stringify(resolve("src/processes/temp-folder.ts"))});
    process.stdout.write(makeTempFolder("clone", ${JSON.stringify(place)}));
    process.kill(process.pid, "SIGKILL");`;
  return spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }).stdout;
}

test("a folder that a killed process left is removed by the next one, with read-only folders in it", () => {
  const place = mkdtempSync(join(top, "place-"));
  const left = leftBehind(place);
  expect(existsSync(left)).toBe(true);
  mkdirSync(join(left, "home/go"), { recursive: true });
  writeFileSync(join(left, "home/go/module"), "");
  for (const path of [join(left, "home/go"), left]) chmodSync(path, 0o500);
  const ours = makeTempFolder("clone", place);
  expect([left, ours].map((path) => existsSync(path))).toEqual([false, true]);
});

test("a folder of a living process stays, and so does one whose process cannot be seen until it is a week old", () => {
  const place = mkdtempSync(join(top, "place-"));
  const ours = makeTempFolder("clone", place);
  const [pid = "", , ticks = ""] = basename(ours).split("-")[3]?.split(".") ?? [];
  const elsewhere = ["aaaaaa", "bbbbbb"].map((end) =>
    join(place, `until-green-clone-${pid}.000000.${ticks}-${end}`),
  );
  for (const path of elsewhere) mkdirSync(path);
  const reused = join(place, basename(ours).replace(`.${ticks}-`, ".1-"));
  mkdirSync(reused);
  const old = new Date(Date.now() - 8 * 24 * 3_600_000);
  for (const path of [ours, elsewhere[0] as string]) utimesSync(path, old, old);
  sweepTempFolders(place);
  const all = [ours, ...elsewhere, reused].map((path) => existsSync(path));
  expect(all).toEqual([true, false, true, false]);
});

test("what a killed process left among a run's files is removed before the run continues", () => {
  const artifacts = mkdtempSync(join(top, "artifacts-"));
  const path = openPrivateTempDir(artifacts).write("mcp.json", "{}");
  writeFileSync(join(artifacts, "report.txt"), "mine");
  sweepPrivateTempDirs(artifacts);
  expect([path, join(artifacts, "report.txt")].map((each) => existsSync(each))).toEqual([false, true]);
  expect(execFileSync("ls", ["-A", artifacts], { encoding: "utf8" })).toBe("report.txt\n");
});
