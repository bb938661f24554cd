import { expect, test } from "vitest";
import { places } from "../../../action/inputs/field-schemas.ts";

test("the paths of `show` and `write` are one a line or separated by commas, and keys are refused", () => {
  expect(places.parse(" ../lib, /data/my files\n~/.cache/x\n")).toEqual([
    "../lib",
    "/data/my files",
    "~/.cache/x",
  ]);
  for (const path of ["~/.ssh/id", "/proc/1", "~", "/"])
    expect(places.safeParse(path).success, path).toBe(false);
});
