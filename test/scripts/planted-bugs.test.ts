import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { plantedBugs } from "../../scripts/planted-bugs/bugs.ts";

test.each(plantedBugs)(
  "the sources have exactly one place for the planted bug: %s",
  (...[, file, from, to]) => {
    expect(readFileSync(file, "utf8").split(from)).toHaveLength(2);
    expect(to).not.toBe(from);
  },
);
