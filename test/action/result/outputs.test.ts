import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  addSummary,
  cutBytes,
  type Outputs,
  outputNames,
  setOutputs,
} from "../../../action/result/outputs.ts";
import { parsePairs } from "../../parts/composite/command-files.ts";

/** A file of the runner, as the variable names it. */
async function emptyFile(name: "GITHUB_OUTPUT" | "GITHUB_STEP_SUMMARY"): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "outputs-"));
  const file = join(folder, "file");
  await writeFile(file, "");
  vi.stubEnv(name, file);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });
  return file;
}

const all = (value: string) => Object.fromEntries(outputNames.map((name) => [name, value])) as Outputs;

test.each(["", "one", "two\nlines", "a=b\n\n", "x<<EOF\nfake=1\nEOF", "\nend-", "${{ x }}"])(
  "an output holding %j comes back as it was",
  async (value) => {
    const file = await emptyFile("GITHUB_OUTPUT");
    setOutputs(all(value));
    expect(parsePairs(await readFile(file, "utf8"))).toEqual(all(value));
  },
);

test("what ends a value cannot be guessed", async () => {
  const file = await emptyFile("GITHUB_OUTPUT");
  setOutputs(all("x"));
  const ends = [...(await readFile(file, "utf8")).matchAll(/<<(.*)/g)].map(([, end]) => end);
  expect(new Set(ends).size).toBe(outputNames.length);
});

test("all outputs are set, and existing lines of the file stay", async () => {
  const file = await emptyFile("GITHUB_OUTPUT");
  const outputs = Object.fromEntries(outputNames.map((name) => [name, `${name}\n!`])) as Outputs;
  setOutputs({ ...outputs, branch: "" });
  setOutputs({ ...outputs, branch: "topic" });
  expect(parsePairs(await readFile(file, "utf8"))).toEqual({ ...outputs, branch: "topic" });
});

test("a summary of more than a runner takes is cut", async () => {
  const file = await emptyFile("GITHUB_STEP_SUMMARY");
  await addSummary("ä".repeat(1_048_576));
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
