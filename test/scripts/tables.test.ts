import { describe, expect, test } from "vitest";
import { keyOf } from "../../scripts/tables/key.ts";
import { keyTables } from "../../scripts/tables/keys.ts";
import { compile } from "../../src/compile/compile.ts";
import type { Json } from "../../src/ports/json.ts";
import { noFiles } from "../dialects/native/files.ts";

type Mapping = Readonly<Record<string, Json>>;

const agent: Mapping = { id: "a", prompt: "Work." };
const approval: Mapping = { message: "Is it right?" };
const onReject: Mapping = { prompt: "Mend it." };
const repeat: Mapping = { prompt: "Work.", until: "DONE", until_bash: "true", max_iterations: 3 };
const list: Mapping = { prompt: "Work.", for_each: ["one"] };

/** A workflow with some keys in the mapping that a table is about. */
const workflows: Readonly<Record<string, (keys: Mapping) => Mapping>> = {
  "loop-keys": (keys) => file({ ...("for_each" in keys ? {} : repeat), ...keys }),
  "check-keys": (keys) => file({ ...repeat, check: keys }),
  "file-keys": (keys) => ({ name: "w", nodes: [agent], ...keys }),
  "node-keys": (keys) => ({ name: "w", nodes: [{ ...agent, ...keys }] }),
  "retry-keys": (keys) => ({ name: "w", nodes: [{ ...agent, retry: keys }] }),
  "approval-keys": (keys) => waiting({ ...approval, ...keys }),
  "on-reject-keys": (keys) => waiting({ ...approval, on_reject: { ...onReject, ...keys } }),
  "input-keys": (keys) => ({ name: "w", nodes: [agent], inputs: { one: keys } }),
};

/** What else must stand there for a key to mean something. */
const needs: Readonly<Record<string, Readonly<Record<string, Mapping>>>> = {
  "loop-keys": {
    retries: { on_error: "retry" },
    signal_completes: { interactive: true, gate_message: "Well?" },
    max_concurrency: list,
    isolation: list,
    direction: { keep: "best", metric: "echo 1" },
    no_verdict: { until_condition: "Is it?" },
    judge_sees: { until_agent: "claude" },
  },
  "file-keys": { fallback_after: { fallback_agent: "codex" } },
};

describe.each(Object.entries(keyTables))("the table %s", (name, { fields, words: texts }) => {
  test("describes every key of the schema, and no other", () => {
    expect(Object.keys(texts)).toEqual(Object.keys(fields));
  });

  const defaults = Object.entries(texts).flatMap(([key, word]) => {
    const { fallback } = keyOf(word);
    return fallback === undefined ? [] : [{ key, fallback }];
  });
  test.for(defaults)("is right about the default of $key", ({ key, fallback }) => {
    const workflow = workflows[name];
    if (workflow === undefined) throw new Error(`say what a workflow with a key of ${name} looks like`);
    const around = needs[name]?.[key] ?? {};
    expect(planOf(workflow({ ...around, [key]: fallback }))).toEqual(planOf(workflow({ ...around })));
  });
});

const file = (loop: Mapping): Mapping => ({ name: "w", interactive: true, nodes: [{ id: "a", loop }] });
const waiting = (node: Mapping): Mapping => ({
  name: "w",
  interactive: true,
  nodes: [{ id: "a", approval: node }],
});

function planOf(workflow: Mapping): unknown {
  const compiled = compile({ text: JSON.stringify(workflow), file: "w.yml" }, noFiles);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics));
  return compiled.plan;
}
