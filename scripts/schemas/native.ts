import * as ignored from "../../src/dialects/native/ignored-keys.ts";
import * as native from "../../src/dialects/native/schema.ts";
import { keyTables } from "../tables/keys.ts";
import { anySchema, listOf, mapping, named, oneOf, ref, type Schema, text, type Words } from "./mapping.ts";

/** The descriptions of the tables in the docs, without links, which editors cannot follow. */
function wordsOf<F extends Readonly<Record<string, unknown>>>(
  table: string,
): Readonly<Record<keyof F & string, string>> {
  const words = Object.entries(keyTables[table]?.words ?? {}).map(
    ([key, { what }]) => [key, what.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1")] as const,
  );
  return Object.fromEntries(words) as Words<never>;
}

const scalar: Schema = { type: ["string", "number", "boolean"] };
const id: Schema = { type: "string", pattern: "^\\s*\\w(?!.*\\.\\.)[\\w.-]{0,99}\\s*$" };

const stop = text;
/** The conditions that end a loop; a list ends by itself. */
const notOverList = [
  "max_iterations",
  "until",
  "fail_until",
  "until_bash",
  "until_field",
  "until_expr",
  "until_agent",
  "until_condition",
  "gate_message",
  "check",
];

const bodies = ["prompt", "command", "nodes", "workflow"];

const loop = mapping({
  title: "A loop",
  fields: native.loopFields,
  words: wordsOf<typeof native.loopFields>("loop-keys"),
  inner: {
    prompt: text,
    with: named({}),
    nodes: listOf(ref("node")),
    until: stop,
    fail_until: stop,
    until_bash: stop,
    until_field: stop,
    until_expr: stop,
    until_agent: stop,
    until_condition: stop,
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

const node = mapping({
  title: "A node",
  fields: native.nodeFields,
  words: wordsOf<typeof native.nodeFields>("node-keys"),
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
  ...mapping({
    title: "A workflow of until-green",
    fields: native.documentFields,
    words: wordsOf<typeof native.documentFields>("file-keys"),
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
    check: mapping({
      title: "The check",
      fields: native.checkFields,
      words: wordsOf<typeof native.checkFields>("check-keys"),
    }),
    retry: mapping({
      title: "Retries",
      fields: native.retryFields,
      words: wordsOf<typeof native.retryFields>("retry-keys"),
    }),
    fan_out: mapping({
      title: "A fan-out over a list",
      fields: native.fanOutFields,
      words: wordsOf<typeof native.fanOutFields>("fan-out-keys"),
      required: ["items"],
    }),
    wait: mapping({
      title: "A wait",
      fields: native.waitFields,
      words: wordsOf<typeof native.waitFields>("wait-keys"),
      inner: { until: text, event: text },
      rules: oneOf(["duration_ms", "until", "event"]),
    }),
    approval: mapping({
      title: "An approval",
      fields: native.approvalFields,
      words: wordsOf<typeof native.approvalFields>("approval-keys"),
      inner: { message: text, on_reject: ref("on_reject") },
      required: ["message"],
    }),
    on_reject: mapping({
      title: "Rework after a rejection",
      fields: native.onRejectFields,
      words: wordsOf<typeof native.onRejectFields>("on-reject-keys"),
      inner: { prompt: text },
      required: ["prompt"],
    }),
    agent: mapping({
      title: "A named agent",
      fields: native.agentFields,
      words: wordsOf<typeof native.agentFields>("agent-keys"),
      inner: { result_schema: anySchema },
    }),
    input: mapping({
      title: "An input",
      fields: native.inputFields,
      words: wordsOf<typeof native.inputFields>("input-keys"),
      inner: { default: scalar },
    }),
    budget: mapping({
      title: "The budget of the run",
      fields: native.budgetFields,
      words: wordsOf<typeof native.budgetFields>("budget-keys"),
    }),
  },
};
