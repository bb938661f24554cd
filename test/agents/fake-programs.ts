import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../workspace/playground.ts";

/** A program that bears the name of a real one, and how that one says "Done." and that its turn is over. */
export interface Fake {
  readonly agent: string;
  readonly package: string;
  readonly version: string;
  readonly secret: string;
  readonly answer: readonly unknown[];
}

/** One for each agent that is a program. */
export const fakes: readonly Fake[] = [
  {
    agent: "claude",
    package: "@anthropic-ai/claude-code",
    version: "2.1.330",
    secret: "ANTHROPIC_API_KEY",
    answer: [{ type: "result", subtype: "success", is_error: false, result: "Done.", usage: {} }],
  },
  {
    agent: "codex",
    package: "@openai/codex",
    version: "0.169.0",
    secret: "OPENAI_API_KEY",
    answer: [
      { type: "item.completed", item: { type: "agent_message", text: "Done." } },
      { type: "turn.completed", usage: {} },
    ],
  },
  {
    agent: "gemini",
    package: "@google/gemini-cli",
    version: "0.61.0",
    secret: "GEMINI_API_KEY",
    answer: [
      { type: "message", role: "assistant", content: "Done.", delta: true },
      { type: "result", status: "success", stats: {} },
    ],
  },
  {
    agent: "copilot",
    package: "@github/copilot",
    version: "1.0.102",
    secret: "COPILOT_PROVIDER_API_KEY",
    answer: [
      { type: "assistant.message", data: { content: "Done." } },
      { type: "result", exitCode: 0 },
    ],
  },
  {
    agent: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    secret: "OPENAI_API_KEY",
    answer: [
      { type: "text", part: { text: "Done." } },
      { type: "step_finish", part: { reason: "stop" } },
    ],
  },
];

interface Script {
  /** For bash; `answer` in it prints the good answer. */
  readonly script: string;
  readonly version?: string;
}

/** A folder for the PATH with such a program in it. */
export function layProgram(fake: Fake, { script, version = fake.version }: Script): string {
  const folder = temporaryFolder();
  const file = join(folder, fake.agent);
  const stdout = fake.answer.map((event) => JSON.stringify(event)).join("\n");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: fake.package, version }));
  const answer = `answer() { cat <<'SAID'\n${stdout}\nSAID\n}`;
  writeFileSync(file, `#!/usr/bin/env bash\ncat > /dev/null\n${answer}\n${script}\n`);
  chmodSync(file, 0o755);
  return folder;
}
