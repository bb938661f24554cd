import { readdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { scriptedAgent } from "../../src/agents/scripted.ts";
import type { RunEvent } from "../../src/engine/run-events.ts";
import { eventBodies } from "../parts/event-bodies.ts";
import { type Stage, stage } from "../parts/stage.ts";

const text = z.union([z.string(), z.array(z.string())]);
const asked = z.strictObject({
  node: z.string(),
  role: z.string().default("worker"),
  iteration: z.int().exactOptional(),
  contains: text.default([]),
  lacks: text.default([]),
});

const one = z.strictObject({
  /** The rule, in a sentence. */
  rule: z.string(),
  options: z.strictObject({ message: z.string().default("") }).default({ message: "" }),
  source: z.string(),
  /** Workflows it calls, and other files beside it. */
  workflows: z.record(z.string(), z.string()).default({}),
  files: z.record(z.string(), z.string()).default({}),
  /** What the scripted agent says. */
  script: z.record(z.string(), z.unknown()).default({ otherwise: { say: "ok" } }),
  expect: z.strictObject({
    /** Of the command line, where the case goes through it. */
    exit: z.int().exactOptional(),
    /** What people answer at its pauses: words of the command line. */
    answers: z.array(z.array(z.string())).default([]),
    /** Words that come too late, and the exit code of each. */
    afterwards: z.record(z.string(), z.int()).default({}),
    /** Events in this order, as far as their fields are named; a text after `~` is part of theirs. */
    events: z.array(z.record(z.string(), z.unknown())).default([]),
    /** Whether these are all the events there are. */
    every: z.boolean().default(false),
    /** Events that do not occur. */
    never: z.array(z.record(z.string(), z.unknown())).default([]),
    prompts: z.array(asked).default([]),
    /** Files as they are in the end. */
    files: z.record(z.string(), z.string().nullable()).default({}),
  }),
});

export type Case = z.infer<typeof one>;

/** The cases of a folder of files, each a list of them. */
export function casesIn(folder: URL): readonly Case[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".yml"));
  return files.flatMap((name) => {
    const list = parse(readFileSync(new URL(name, folder), "utf8"));
    return z.array(one).parse(list);
  });
}

/** Plays a case in a pretended world, with the scripted agent that people use. */
export async function play({ source, workflows, options, script }: Case): Promise<Stage> {
  const agent = scriptedAgent({ text: JSON.stringify(script) });
  const it = stage(source, {
    workflows,
    facts: { message: options.message },
    agent: (request, _, context) => agent.answer(request, context),
  });
  await it.begin();
  return it;
}

/** Holds what happened to what a case expects. */
export function expectEvents(events: readonly RunEvent[], { expect: expected }: Case): void {
  let from = 0;
  for (const wanted of expected.events) {
    const at = events.findIndex((event, index) => index >= from && fits(event, wanted));
    if (at < 0) expect(eventBodies(events.slice(from))).toContainEqual(wanted);
    from = at + 1;
  }
  if (expected.every) expect(events).toHaveLength(expected.events.length);
  for (const unwanted of expected.never) {
    expect(events.find((event) => fits(event, unwanted))).toBeUndefined();
  }
  for (const prompt of expected.prompts) expectPrompt(events, prompt);
}

function expectPrompt(events: readonly RunEvent[], prompt: z.infer<typeof asked>): void {
  const { node, role, iteration, contains, lacks } = prompt;
  const place = iteration === undefined ? `/${node}` : `#${iteration}`;
  const found = events.find(
    (event) =>
      event.type === "agent.asked" &&
      event.role === role &&
      event.path.includes(place) &&
      event.path.includes(node),
  );
  const said = found?.type === "agent.asked" ? found.prompt : `nobody asked ${node} ${iteration ?? ""}`;
  let from = 0;
  for (const part of [contains].flat()) {
    const at = said.indexOf(part, from);
    expect(at, `${JSON.stringify(part)} in ${JSON.stringify(said)}`).toBeGreaterThanOrEqual(0);
    from = at + part.length;
  }
  for (const part of [lacks].flat()) expect(said).not.toContain(part);
}

function fits(actual: unknown, wanted: unknown): boolean {
  if (typeof wanted === "string" && wanted.startsWith("~"))
    return typeof actual === "string" && actual.includes(wanted.slice(1));
  if (typeof wanted !== "object" || wanted === null) return Object.is(actual, wanted);
  if (typeof actual !== "object" || actual === null) return false;
  if (Array.isArray(wanted) && (!Array.isArray(actual) || wanted.length !== actual.length)) return false;
  return Object.entries(wanted).every(([key, value]) =>
    fits((actual as Record<string, unknown>)[key], value),
  );
}
