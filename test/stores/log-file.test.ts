import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { BrokenLogError, StaleLogError } from "../../src/ports/store.ts";
import { logFile, repairLog } from "../../src/stores/log-file.ts";

const run = "run-001";

function open() {
  const folder = mkdtempSync(join(tmpdir(), "log-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "log.jsonl");
  return { folder, path, log: logFile(run, path) };
}

test("a log is read from any line, by its writer and by others, as it grows", async () => {
  const { path, log } = open();
  expect([log.read(0), log.read(5)]).toEqual([[], []]);
  log.append(0, ["a", "b"]);
  await log.synced();
  const other = logFile(run, path);
  // The first read starts in the middle of what it does not know yet.
  expect(other.read(1)).toEqual(["b"]);
  log.append(2, ["c"]);
  log.append(3, []);
  expect([other.read(2), other.read(3), other.read(9), other.read(0)]).toEqual([
    ["c"],
    [],
    [],
    ["a", "b", "c"],
  ]);
  other.append(3, ["d"]);
  expect([log.read(3), log.read(1)]).toEqual([["d"], ["b", "c", "d"]]);
  expect(() => log.append(3, ["late"])).toThrow(
    new StaleLogError(`run ${run} has 4 lines, not 3: read again`),
  );
  expect(() => log.append(5, ["early"])).toThrow("has 4 lines, not 5");
  expect(other.read(0)).toHaveLength(4);
});

test("a log that was replaced, cut or deleted is read anew", () => {
  const { folder, path, log } = open();
  log.append(0, ["a", "b"]);
  log.append(2, ["c"]);
  const reader = logFile(run, path);
  expect(reader.read(0)).toHaveLength(3);
  const draft = join(folder, "draft");
  logFile(run, draft).append(0, ["x", "y"]);
  logFile(run, draft).append(2, ["longer than before"]);
  renameSync(draft, path);
  expect(reader.read(0)).toEqual(["x", "y", "longer than before"]);
  writeFileSync(path, readFileSync(path, "utf8").split("longer")[0] ?? "");
  expect(reader.read(1)).toEqual(["y"]);
  reader.append(2, ["z"]);
  expect(logFile(run, path).read(0)).toEqual(["x", "y", "z"]);
  rmSync(path);
  expect(reader.read(0)).toEqual([]);
  reader.append(0, ["anew"]);
  expect(logFile(run, path).read(0)).toEqual(["anew"]);
});

test("what a kill tore off is written over, also by a shorter line", () => {
  const { path, log } = open();
  log.append(0, ["a"]);
  const size = statSync(path).size;
  appendFileSync(path, "torn ".repeat(100));
  const next = logFile(run, path);
  expect(next.read(0)).toEqual(["a"]);
  next.append(1, ["b"]);
  expect(statSync(path).size).toBe(2 * size);
  expect(logFile(run, path).read(0)).toEqual(["a", "b"]);
});

test("damage is named with its line, behind what is known as well as in it", () => {
  const { path, log } = open();
  log.append(0, ["a", "b"]);
  log.append(2, ["c"]);
  const damaged = (line: number) =>
    new BrokenLogError(
      `the log of run ${run} is damaged at line ${line} of ${path}: the line does not fit its checksum. ` +
        `Cut it to its last whole line with \`until-green repair ${run}\`, which keeps the damaged file; ` +
        `or put the file back from a copy, or delete ${join(path, "..")} and start a new run`,
    );
  const whole = readFileSync(path, "utf8");
  const reader = logFile(run, path);
  expect(reader.read(2)).toEqual(["c"]);
  writeFileSync(path, whole.replace("c\t", "X\t"));
  expect(() => reader.read(2)).toThrow(damaged(3));
  writeFileSync(path, whole.replace("b\t", "X\t"));
  expect(() => reader.read(0)).toThrow(damaged(2));
  expect(() => reader.append(3, ["d"])).toThrow(damaged(2));
  // Its writer undid it: nothing is left of what was known.
  writeFileSync(path, whole);
  expect(reader.read(2)).toEqual(["c"]);
  expect(() => logFile("run-002", path).read(0)).toThrow("run run-002 is damaged at line 1");
  const own = logFile(run, path, ({ line }) => new BrokenLogError(`own ${line}`));
  writeFileSync(path, "odd\n");
  expect(() => own.read(0)).toThrow(/^own 1$/);
});

test("a damaged log is cut to its last whole append, and a copy of it stays", () => {
  const { path, log } = open();
  expect(repairLog(run, path)).toBeUndefined();
  writeFileSync(path, "");
  expect(repairLog(run, path)).toBeUndefined();
  log.append(0, ["a"]);
  log.append(1, ["b", "c"]);
  expect(repairLog(run, path)).toBeUndefined();
  const broken = readFileSync(path, "utf8").replace("c\t", "X\t");
  writeFileSync(path, broken);
  const clock = vi.spyOn(Date, "now").mockReturnValue(7);
  onTestFinished(() => clock.mockRestore());
  const repaired = repairLog(run, path);
  expect(repaired).toEqual({ lines: 1, kept: `${path}.damaged-7` });
  expect(readFileSync(repaired?.kept ?? "", "utf8")).toBe(broken);
  expect(logFile(run, path).read(0)).toEqual(["a"]);
  writeFileSync(path, "odd\n");
  expect(repairLog(run, path)).toEqual({ lines: 0, kept: `${path}.damaged-8` });
  expect(statSync(path).size).toBe(0);
});
