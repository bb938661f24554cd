import type { Case } from "../case.ts";
import { configurationTwins, manifestTwins, testTwins } from "./changed-files.ts";
import { cloneTwins, countTwins, endingTwins, nameTwins } from "./runs.ts";

/** Dishonest work that looks like a kind of honest work: it must never be green without a word. */
export const twins: Readonly<Record<string, readonly Case[]>> = {
  "a manifest grows": manifestTwins,
  "configuration, scripts and targets": configurationTwins,
  "tests and expected results": testTwins,
  "counts and parts of the tests": countTwins,
  "names of tests": nameTwins,
  "files outside of what is published": cloneTwins,
  "broken checks, accepted failures, reports": endingTwins,
};
