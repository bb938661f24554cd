import { claude } from "./claude.ts";
import type { CliDefinition } from "./cli/cli-definition.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { kimi } from "./kimi.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwen } from "./qwen.ts";

/**
 * All agents that are command-line programs; those that may be selected by default come first, best first. To add
 * one, add its file and a line here.
 */
export const cliAgents: readonly CliDefinition[] = [claude, codex, gemini, copilot, opencode, qwen, pi, kimi];
