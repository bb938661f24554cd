import { readdirSync, readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { printError } from "../../src/cli/error-message.ts";
import { exit, UsageError } from "../../src/cli/exit.ts";
import { printNotice } from "../../src/cli/print.ts";
import { LogMismatchError } from "../../src/engine/log-events.ts";
import { RunLockedError } from "../../src/ports/store.ts";
import { RunTakenOverError } from "../../src/runner/append-events.ts";
import { RunExistsError } from "../../src/runner/open-run.ts";
import { EnvironmentError } from "../../src/runner/perform-effect.ts";

vi.mock("../../src/cli/print.ts", async (original) => ({
  ...(await original<object>()),
  say: () => undefined,
  printNotice: vi.fn(),
}));

test.each([
  [new UsageError("no"), "USAGE", exit.usage],
  [new RunExistsError("no"), "TAKEN_RUN", exit.usage],
  [new RunLockedError("no"), "RUN_HELD", exit.lost],
  [new RunTakenOverError("no"), "LOST_RUN", exit.lost],
  [new LogMismatchError("no"), "DIVERGED_LOG", exit.failed],
  [new EnvironmentError("no"), "BROKEN_WORLD", exit.failed],
  [new Error("no"), "ERROR", exit.failed],
])("%s is the notice %s", (error, code, exitCode) => {
  expect(printError(error, { json: true })).toBe(exitCode);
  expect(printNotice).toHaveBeenLastCalledWith({ code, message: "no" });
});

const errorOf = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};

// As of a file of a run that something damaged, wherever it is read.
test.each([
  [() => readFileSync("test"), "a file is a folder and must be a file (EISDIR): move it away"],
  [
    () => readdirSync("package.json"),
    "package.json is not a folder, or something on the way to it is not (ENOTDIR)",
  ],
  [() => readdirSync("no-such-folder"), "no-such-folder is missing, or a link to it leads nowhere (ENOENT)"],
])("an error of a file names it and says what to do: %#", (act, sentence) => {
  expect(printError(errorOf(act), { json: true })).toBe(exit.failed);
  const notice = { message: expect.stringMatching(/, then repeat the command$/) };
  expect(printNotice).toHaveBeenLastCalledWith(expect.objectContaining(notice));
  expect(vi.mocked(printNotice).mock.lastCall?.[0]?.message).toContain(sentence);
});
