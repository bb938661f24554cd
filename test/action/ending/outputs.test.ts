import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  addSummary,
  assignment,
  cutBytes,
  type Outputs,
  outputNames,
  setOutputs,
} from "../../../action/ending/outputs.ts";
import { parsePairs } from "../../parts/composite/command-files.ts";

async function emptyFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "outputs-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "file");
}

test.each(["", "one", "two\nlines", "a=b\n\n", "x<<EOF\nfake=1\nEOF", "\nend-", "${{ x }}"])(
  "an output holding %j comes back as it was",
  (value) => {
    expect(parsePairs(assignment("name", value))).toEqual({ name: value });
  },
);

test("what ends a value cannot be guessed", () => {
  expect(assignment("name", "x").split("\n")[0]).not.toBe(assignment("name", "x").split("\n")[0]);
});

test("all outputs are set, and what stands in the file stays", async () => {
  const file = await emptyFile();
  const outputs = Object.fromEntries(outputNames.map((name) => [name, `${name}\n!`])) as Outputs;
  setOutputs(file, { ...outputs, branch: "" });
  setOutputs(file, { ...outputs, branch: "topic" });
  expect(parsePairs(await readFile(file, "utf8"))).toEqual({ ...outputs, branch: "topic" });
});

test("a summary of more than a runner takes is cut", async () => {
  const file = await emptyFile();
  addSummary(file, "ä".repeat(1_048_576));
  const text = await readFile(file, "utf8");
  expect(Buffer.byteLength(text)).toBeLessThan(1_048_576);
  expect(text).toMatch(/ä\n\n… the rest did not fit …\n\n$/);
});

test.each([0, 1, 2, 3])("a cut leaves no half of a character, %i bytes on", (more) => {
  const cut = cutBytes("😀".repeat(50), 100 + more);
  expect(cut).toMatch(/^😀+\n\n…/u);
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(100 + more);
});

test("a text that fits stays as it is", () => {
  expect(cutBytes("äö", 4)).toBe("äö");
});
