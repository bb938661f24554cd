import { claude } from "./claude.ts";
import type { Program } from "./cli/cli.ts";
import { type Installing, installProgram } from "./cli/install.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";

/** The agents that are programs, by the name they are opened with. */
const programs: Readonly<Record<string, Program>> = Object.fromEntries(
  [claude, codex, gemini, copilot, opencode].map(({ name, program }) => [name, program]),
);

/** Whether an agent is a program that can be installed. */
export const isProgram = (name: string): boolean => Object.hasOwn(programs, name);

/** Sees that an agent's program is here; answers where, if it had to be installed. */
export async function installAgent(name: string, installing: Installing): Promise<string | undefined> {
  const program = programs[name];
  return program && (await installProgram(program, installing));
}
