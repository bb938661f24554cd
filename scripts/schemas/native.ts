import * as ignored from "../../src/dialects/native/ignored-keys.ts";
import * as native from "../../src/dialects/native/schema.ts";
import { stopKeys } from "../../src/stops/index.ts";
import { type Fields, keyOf } from "../tables/key.ts";
import { keyTables } from "../tables/keys.ts";
import {
  anySchema,
  listOf,
  type MappingOptions,
  mapping,
  named,
  oneOf,
  ref,
  type Schema,
  schemaOf,
  text,
} from "./mapping.ts";

type Tables = typeof keyTables;

/** The mapping of a table in the docs; descriptions without links, which editors cannot follow. */
function tableMapping<N extends keyof Tables>(
  name: N,
  title: string,
  more: Partial<MappingOptions<Tables[N]["fields"]>> = {},
): Schema {
  const { fields, words } = keyTables[name];
  const texts = Object.entries(words).map(([key, word]) => [
    key,
    keyOf(word).what.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1"),
  ]);
  return mapping<Fields>({
    title,
    fields,
    words: Object.fromEntries(texts),
    ...(more as Partial<MappingOptions<Fields>>),
  });
}

const scalar: Schema = { type: ["string", "number", "boolean"] };
const id: Schema = { type: "string", pattern: "^\\s*\\w(?!.*\\.\\.)[\\w.-]{0,99}\\s*$" };

const stops = Object.fromEntries(stopKeys.map(({ name, holds }) => [name, schemaOf(holds)]));
/** The keys that a loop over a list does not have: it ends by itself. */
const notOverList = ["max_iterations", ...Object.keys(stops), "gate_message", "check"];

const bodies = ["prompt", "command", "nodes", "workflow"];

const loop = tableMapping("loop-keys", "A loop", {
  inner: {
    prompt: text,
    with: named({}),
    nodes: listOf(ref("node")),
    ...stops,
    max_iterations: { type: "integer", minimum: 1, maximum: 10_000 },
    for_each: { anyOf: [{ type: "array", minItems: 1 }, text] },
    check: ref("check"),
  },
  rules: {
    ...oneOf(bodies),
    if: { required: ["for_each"] },
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    then: { not: { anyOf: notOverList.map((key) => ({ required: [key] })) } },
    else: { required: ["max_iterations"] },
  },
});

const node = tableMapping("node-keys", "A node", {
  inner: {
    id,
    retry: ref("retry"),
    output_format: anySchema,
    with: named({}),
    fan_out: ref("fan_out"),
    hooks: named({ type: "array", items: { type: "object" } }),
    agents: named({ type: "object", required: ["description", "prompt"] }),
    prompt: text,
    bash: text,
    script: text,
    cancel: text,
    loop: ref("loop"),
    loop_group: ref("loop"),
    approval: ref("approval"),
    wait: ref("wait"),
  },
  required: ["id"],
  ignored: ignored.ignoredInNode,
  rules: oneOf(native.kindKeys),
});

/** Native files: `nodes:`. */
export const nativeSchema: Schema = {
  ...tableMapping("file-keys", "A workflow of until-green", {
    inner: {
      name: text,
      agents: named({ anyOf: [ref("agent"), { type: "null" }] }),
      inputs: named({ anyOf: [ref("input"), { type: "null" }] }, "^[A-Za-z_][A-Za-z0-9_-]*$"),
      budget: ref("budget"),
      nodes: listOf(ref("node")),
    },
    required: ["name", "nodes"],
    ignored: ignored.ignoredInDocument,
    rules: { patternProperties: { "^x-": true } },
  }),
  definitions: {
    node,
    loop,
    check: tableMapping("check-keys", "The check"),
    retry: tableMapping("retry-keys", "Retries"),
    fan_out: tableMapping("fan-out-keys", "A fan-out over a list", { required: ["items"] }),
    wait: tableMapping("wait-keys", "A wait", {
      inner: { until: text, event: text },
      rules: oneOf(["duration_ms", "until", "event"]),
    }),
    approval: tableMapping("approval-keys", "An approval", {
      inner: { message: text, on_reject: ref("on_reject") },
      required: ["message"],
    }),
    on_reject: tableMapping("on-reject-keys", "Rework after a rejection", {
      inner: { prompt: text },
      required: ["prompt"],
    }),
    agent: tableMapping("agent-keys", "A named agent", { inner: { result_schema: anySchema } }),
    input: tableMapping("input-keys", "An input", { inner: { default: scalar } }),
    budget: tableMapping("budget-keys", "The budget of the run"),
  },
};
