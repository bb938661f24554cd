import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { AgentError, type AgentRequest } from "../ports/agent.ts";
import { json } from "../ports/json.ts";

/** Built on demand: few runs use a script. */
function forms() {
  const reaction = {
    say: z.string().exactOptional(),
    result: json.exactOptional(),
    write: z.record(z.string(), z.string()).default({}),
    delete: z.array(z.string()).default([]),
    run: z.string().exactOptional(),
    send: z.array(z.strictObject({ to: z.string(), text: z.string() })).exactOptional(),
    usage: z
      .strictObject({
        input_tokens: z.number().nonnegative().default(0),
        output_tokens: z.number().nonnegative().default(0),
        cost_usd: z.number().nonnegative().default(0),
      })
      .default({ input_tokens: 0, output_tokens: 0, cost_usd: 0 }),
    wait_ms: z.number().nonnegative().default(0),
    hang: z.boolean().default(false),
    error: z
      .enum(["rate-limit", "overloaded", "network", "auth", "credit", "crash", "empty"])
      .exactOptional(),
  };

  const reply = z.strictObject({
    node: z.string().exactOptional(),
    iteration: z.int().positive().exactOptional(),
    role: z.enum(["worker", "judge", "evaluator", "gate"]).exactOptional(),
    contains: z.string().exactOptional(),
    times: z.int().nonnegative().default(1),
    ...reaction,
  });

  const otherwise = z.strictObject(reaction);
  const script = z.strictObject({
    replies: z.array(reply).default([]),
    otherwise: otherwise.exactOptional(),
  });
  return { script, otherwise };
}

/** The file of a scripted agent: its replies, and when each one is used. */
export type Script = z.infer<ReturnType<typeof forms>["script"]>;

/** The reaction of a scripted agent. */
export type ScriptedAction = z.infer<ReturnType<typeof forms>["otherwise"]>;

/** Reads a script; `source` is its name for people. */
export function readScript(from: { readonly file: string } | { readonly text: string }): Script {
  if ("text" in from) return parseScript(from.text, "the replies");
  return parseScript(readText(from.file), from.file);
}

/** The first reply that matches and is not used up, with the tag that counts its use; `otherwise` has none. */
export function chooseReply(
  { replies, otherwise: last }: Script,
  request: AgentRequest,
  used: (tag: string) => number,
): { readonly reaction: ScriptedAction; readonly tag?: string } | undefined {
  for (const [index, one] of replies.entries()) {
    const tag = `reply-${index + 1}`;
    if (fits(one, request) && (one.times === 0 || used(tag) < one.times)) return { reaction: one, tag };
  }
  return last && { reaction: last };
}

function fits(one: Script["replies"][number], request: AgentRequest): boolean {
  return (
    (one.node === undefined || one.node === request.node) &&
    (one.iteration === undefined || one.iteration === request.iteration) &&
    (one.role === undefined || one.role === request.role) &&
    (one.contains === undefined || request.prompt.includes(one.contains))
  );
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
    throw new AgentError("missing", `the scripted agent's file ${file} ${why}: name a file of replies`, {
      cause,
    });
  }
}

function parseScript(text: string, source: string): Script {
  const read = forms().script.safeParse(parseYaml(text, source));
  if (read.success) return read.data;
  const faults = read.error.issues.map(({ path, message }) => `${place(path)}${message}`);
  throw new AgentError(
    "missing",
    `${source} is not a valid script for the scripted agent: ${faults.join("; ")}`,
  );
}

function parseYaml(text: string, source: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new AgentError("missing", `${source} is not valid YAML: ${message}`, { cause });
  }
}

function place(path: readonly PropertyKey[]): string {
  const keys = path.map((key) => (typeof key === "number" ? `[${key + 1}]` : `.${String(key)}`));
  return path.length === 0 ? "" : `${keys.join("").slice(1)}: `;
}
