import { existsSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { makeFolder } from "../adapters/folder.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import type { CommonOptions } from "./options.ts";
import { say } from "./print.ts";

const file = ".github/loops/fix-tests.yml";

const schema = "https://raw.githubusercontent.com/until-green/until-green/v1/schemas/native.json";

const starter = `# yaml-language-server: $schema=${schema}
name: fix-tests
description: Fix the failing tests one at a time
nodes:
  - id: fix
    loop:
      prompt: |
        Run the tests, pick one failure, and fix its cause in the source.
        Do not change the tests.
        What the tests said last: $LOOP_CHECK_OUTPUT
      until_bash: npm test
      max_iterations: 8
      fresh_context: true
      check: { baseline: true, timeout: 10m }
      protect: ["test/**"]
      no_progress: 3
`;

/** `until-green init`: writes a first workflow where there is none. */
export async function initCommand(options: CommonOptions): Promise<ExitCode> {
  const path = resolve(options.cwd ?? ".", file);
  if (existsSync(path)) throw new UsageError(`${file} is there already; nothing was changed`);
  try {
    makeFolder(dirname(path));
    writeFileSync(path, starter, { flag: "wx" });
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${(error as Error).message}`);
  }
  say(
    `wrote ${join(options.cwd ?? ".", file)}\nnext: set until_bash to your test command, then\n  until-green run fix-tests --agent command:"your-agent"\n`,
  );
  return exit.ok;
}
