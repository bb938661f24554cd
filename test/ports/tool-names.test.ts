import { expect, test } from "vitest";
import { capabilityOf } from "../../src/ports/tool-names.ts";

test.each([
  ["Read", "read"],
  ["read_file", "read"],
  ["Bash", "shell"],
  ["Bash(git log:*)", "shell"],
  ["run_shell_command", "shell"],
  ["MultiEdit", "edit"],
  ["apply_patch", "edit"],
  ["Grep", "search"],
  ["WebFetch", "web"],
  ["Task", "agent"],
  ["write", "write"],
  ["LS", "list"],
])("%s lets an agent %s", (name, capability) => {
  expect(capabilityOf(name)).toBe(capability);
});

test("a tool of a server means nothing to us", () => {
  expect(capabilityOf("mcp__github__create_issue")).toBeUndefined();
});
