import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openGitHubHost } from "../parts/github-host/host.ts";
import { useOnHost } from "./source.ts";

// No more than Linux accepts in one variable.
const long = `${"課".repeat(43_000)}\n"$(touch owned)" \${HOME} \u2028 \u0007 end`;

test("inputs that are over 128 KiB together reach the program whole, and no program of the run finds the file that passed them", async () => {
  const host = await openGitHubHost({ files: { "state.txt": "red\n" } });
  onTestFinished(() => host.close());
  const key = "sk-ant-a-key-0123456789";
  const agent = `cat > prompt.txt; grep -rls "${"課".repeat(20)}" "$RUNNER_TEMP" > found.txt; echo done`;
  const { ok, workspace, log } = await useOnHost({
    host,
    env: { PATH: process.env["PATH"] ?? "" },
    inputs: {
      prompt: long,
      message: long,
      inputs: JSON.stringify({ a: long }),
      "until-bash": "test -f found.txt",
      "agent-command": agent,
      "anthropic-api-key": key,
      isolation: "off",
    },
  });
  expect(ok, log.slice(-20).join("\n").slice(-2_000)).toBe(true);
  expect(readFileSync(join(workspace, "prompt.txt"), "utf8")).toContain(long.slice(0, -6));
  expect(readFileSync(join(workspace, "found.txt"), "utf8")).not.toContain(".sh");
});
