import { expect, test } from "vitest";
import {
  capabilitiesFor,
  isReadOnly,
  refuseLimits,
  toolsAllowed,
  toolsDenied,
} from "../../src/agents/tool-limits.ts";

const own = { read: ["Read"], edit: ["Edit"], shell: ["Bash"] } as const;
const worker = { role: "worker" } as const;

test("a worker without limits has all tools", () => {
  expect(capabilitiesFor(worker)).toBeUndefined();
  expect(toolsAllowed(worker, own)).toBeUndefined();
  expect(toolsDenied(worker, own)).toEqual([]);
});

test("a list of tools is enforced, in the terms of any agent, and an empty one leaves none", () => {
  expect(toolsAllowed({ ...worker, tools: { only: ["read_file", "bash"] } }, own)).toEqual(["Read", "Bash"]);
  expect(toolsAllowed({ ...worker, tools: { only: [] } }, own)).toEqual([]);
  expect(toolsDenied({ ...worker, tools: { not: ["Bash"] } }, own)).toEqual(["Bash"]);
});

test("who judges only reads, and less where its tools are limited", () => {
  expect(toolsAllowed({ role: "judge" }, own)).toEqual(["Read"]);
  expect(isReadOnly({ role: "judge" })).toBe(true);
  expect(toolsAllowed({ role: "judge", tools: { only: ["Bash"] } }, own)).toEqual([]);
});

test("a program that can only be kept from writing refuses finer limits, unless they are advisory", () => {
  const finer = { ...worker, tools: { not: ["Bash"] } };
  expect(() => refuseLimits("codex", finer)).toThrow("codex cannot be restricted to these tools");
  expect(() => refuseLimits("codex", { ...worker, tools: { only: ["Read", "Grep"] } })).not.toThrow();
  expect(() => refuseLimits("codex", { ...worker, tools: { not: ["Bash"], advisory: true } })).not.toThrow();
});
