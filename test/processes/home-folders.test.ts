import { expect, test } from "vitest";
import { homesOf } from "../../src/processes/home-folders.ts";

test("a job's container has another HOME than its user", () => {
  expect(homesOf({ HOME: "/github/home" }, "/root")).toEqual(["/github/home", "/root"]);
  expect(homesOf({ HOME: "/root" }, "/root")).toEqual(["/root"]);
  expect(homesOf({ HOME: "/github/home" }, "")).toEqual(["/github/home"]);
});
