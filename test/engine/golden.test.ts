import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { replayLog } from "./golden/replay.ts";
import { scenarios } from "./golden/scenarios.ts";
import { writeMissing } from "./golden/write.ts";

// For a new scenario: GOLDEN=write npx vitest run test/engine/golden.test.ts
if (process.env["GOLDEN"] === "write") await writeMissing();

const logs = globSync("test/engine/golden/*.jsonl").toSorted();

test("every scenario has its log", () => {
  const names = logs.map((file) => basename(file, ".jsonl").replace(/^v\d+-/, ""));
  expect(new Set(names)).toEqual(new Set(Object.keys(scenarios)));
});

test.each(logs)("%s, a log of an earlier version, replays to the same run", (file) => {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const kept: unknown = JSON.parse(readFileSync(file.replace(/\.jsonl$/, ".json"), "utf8"));
  expect(replayLog(lines)).toEqual(kept);
});
