import type { CliProgram } from "./cli/cli-definition.ts";
import { type Installing, installProgram, type Lockfile } from "./cli/install.ts";
import { cliAgents } from "./registry.ts";

/** The agents that are programs, by name. */
const programs: Readonly<Record<string, CliProgram>> = Object.fromEntries(
  cliAgents.map(({ name, program }) => [name, program]),
);

/** True if an agent is a program that can be installed. */
export const isProgram = (name: string): boolean => Object.hasOwn(programs, name);

/** Installs an agent's program if it is missing; returns its folder if it had to be installed. */
export async function installAgent(name: string, installing: Installing): Promise<string | undefined> {
  const program = programs[name];
  if (program === undefined) return undefined;
  const lock = await locks[name]?.();
  return await installProgram(program, { ...installing, lock: lock?.default });
}

/** The lockfiles of the tested versions, written by `npm run agents:update`. */
export const locks: Readonly<Record<string, () => Promise<{ readonly default: Lockfile }>>> = {
  claude: () => import("./locks/claude/package-lock.json", { with: { type: "json" } }),
  codex: () => import("./locks/codex/package-lock.json", { with: { type: "json" } }),
  copilot: () => import("./locks/copilot/package-lock.json", { with: { type: "json" } }),
  gemini: () => import("./locks/gemini/package-lock.json", { with: { type: "json" } }),
  kimi: () => import("./locks/kimi/package-lock.json", { with: { type: "json" } }),
  opencode: () => import("./locks/opencode/package-lock.json", { with: { type: "json" } }),
  pi: () => import("./locks/pi/package-lock.json", { with: { type: "json" } }),
  qwen: () => import("./locks/qwen/package-lock.json", { with: { type: "json" } }),
};
