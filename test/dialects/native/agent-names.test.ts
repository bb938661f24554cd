import { expect, test } from "vitest";
import { diagnosticsOf, noFiles, planOf } from "./files.ts";

const file = (agent: string) => `name: w\nagent: ${agent}\nnodes: [{ id: a, prompt: p }]\n`;

test.each([
  "claude",
  "api",
  "api:openai",
  "api:openai/gpt-6-sol",
  "scripted:replies.yml",
  "command:./agent.sh",
])("%s can be named in a file", (agent) => {
  expect(planOf(file(agent)).agent).toBe(agent);
});

test.each(["clade", "claude:opus", "scripted", "command:", "api:"])("%s is no agent", (agent) => {
  expect(diagnosticsOf(file(JSON.stringify(agent)), noFiles).join("\n")).toContain("UNKNOWN_AGENT");
});
