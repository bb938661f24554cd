import { expect, test } from "vitest";
import { refuseWork } from "../../../action/publish/build-work.ts";
import { inputsOf } from "./work-on-host.ts";

const plan = { way: "branch", branch: "work", base: "main", issue: undefined } as const;
const commits = { tip: "t", files: [], bytes: 0, leftOut: [], nested: [], conflicts: [], unfit: [] };
const files = (count: number) => Array.from({ length: count }, (_, at) => `${at}.txt`);
const unfit = [{ step: { snapshot: "s", message: "m" }, conflicts: ["a.txt"], with: [] }];
const limits = { "max-files": "2", "max-patch-kib": "3" };

test.each([
  ["of 300 files", { files: files(300) }, {}],
  ["of 4 MiB", { bytes: 4_096 * 1_024 }, {}],
  ["within the job's limits", { files: files(2), bytes: 3 * 1_024 }, limits],
  ["of which a part does not fit", { unfit }, {}],
])("work %s may be published", (_, more, inputs) => {
  expect(() => refuseWork({ ...commits, ...more }, inputsOf(inputs), plan)).not.toThrow();
});

test.each([
  ["the work changes 301 files, and `max-files` is 300: nothing was published", { files: files(301) }, {}],
  [
    "the files the work changes have 4097 KiB, and `max-patch-kib` is 4096: nothing was published",
    { bytes: 4_096 * 1_024 + 1 },
    {},
  ],
  ["the work changes 3 files, and `max-files` is 2: nothing was published", { files: files(3) }, limits],
  [
    "the files the work changes have 4 KiB, and `max-patch-kib` is 3: nothing was published",
    { bytes: 3 * 1_024 + 1 },
    limits,
  ],
  [
    "the work changes 4 files, and `max-files` is 2: nothing was published. Most are in node_modules/ (2), src/ (1): if they do not belong in the repository, add the line `/node_modules/` to .gitignore",
    { files: ["src/a", "node_modules/a/b", "node_modules/c", "top.txt"] },
    limits,
  ],
  [
    "the work conflicts with work, which others have changed (b.txt, a.txt): merge or delete that branch and run again",
    { tip: undefined, conflicts: ["b.txt"], unfit },
    {},
  ],
])("not published: %s", (message, more, inputs) => {
  expect(() => refuseWork({ ...commits, ...more }, inputsOf(inputs), plan)).toThrow(message);
});
