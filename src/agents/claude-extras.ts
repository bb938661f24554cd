import type { Json } from "../ports/json.ts";
import { shellWord } from "../processes/shell-word.ts";
import type { CliInvocation } from "./cli/cli-definition.ts";

type Mapping = Readonly<Record<string, Json>>;

/** The flags for a node's hooks and subagents. */
export function extraArgs({ request, scratch }: CliInvocation): readonly string[] {
  const { hooks, subagents } = request.settings ?? {};
  const commands = hooks && { hooks: hooksFor(hooks, (name, text) => scratch.write(name, text)) };
  return [
    ...(commands === undefined ? [] : ["--settings", scratch.write("hooks.json", JSON.stringify(commands))]),
    ...(subagents === undefined ? [] : ["--agents", JSON.stringify(subagents)]),
  ];
}

/**
 * The variable for `thinking`, a word or a mapping with a `type`. Without a budget, an enabled or adaptive one is the
 * program's default.
 */
export function thinkingEnv({ request }: CliInvocation): {
  readonly MAX_THINKING_TOKENS?: string | undefined;
} {
  const { thinking } = request.settings ?? {};
  if (thinking === undefined) return {};
  const { type, budgetTokens } = (
    typeof thinking === "string" ? { type: thinking } : (thinking ?? {})
  ) as Mapping;
  const tokens = type === "disabled" ? 0 : type === "enabled" ? budgetTokens : undefined;
  return { MAX_THINKING_TOKENS: typeof tokens === "number" ? String(tokens) : undefined };
}

/** A hook with a fixed response becomes a command that prints it. */
function hooksFor(hooks: Json, write: (name: string, text: string) => string): Mapping {
  let count = 0;
  const commandOf = ({ response, command, timeout }: Mapping): Mapping => {
    count += 1;
    const file = response === undefined ? "" : write(`hook-${count}.json`, JSON.stringify(response));
    return {
      type: "command",
      command: command ?? `cat ${shellWord(file)}`,
      ...(timeout === undefined ? {} : { timeout }),
    };
  };
  const matched = (one: Mapping): Mapping => ({
    ...(one["matcher"] === undefined ? {} : { matcher: one["matcher"] }),
    hooks: [commandOf(one)],
  });
  const events = Object.entries(hooks as Readonly<Record<string, readonly Mapping[]>>);
  return Object.fromEntries(events.map(([event, list]) => [event, list.map(matched)]));
}
