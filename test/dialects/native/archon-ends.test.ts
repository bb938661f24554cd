import { expect, test } from "vitest";
import { agentNames } from "../../../src/agents/index.ts";
import { compile } from "../../../src/compile/compile.ts";
import type { FileRequest } from "../../../src/ports/file.ts";
import { noSuchFile } from "../../../src/ports/unreadable.ts";
import { type Props, stage } from "../../parts/stage.ts";

const files = { agents: agentNames, command: () => undefined, workflow: () => undefined };
const read = (text: string) =>
  compile({ text: `name: w\ndescription: d\n${text}`, file: ".archon/workflows/w.yaml" }, files);

function diagnosticsOf(text: string): readonly string[] {
  const it = read(text);
  return (it.ok ? it.warnings : it.diagnostics).map(
    ({ code, message, line, column }) => `${code} ${line}:${column} ${message}`,
  );
}

async function played(text: string, props: Props = {}) {
  const it = read(text);
  if (!it.ok) throw new Error(JSON.stringify(it.diagnostics));
  const run = stage(it.plan, props);
  await run.begin();
  const nodes = run.of("node.ended").map(({ node, status }) => [node, status] as const);
  return { ...run, nodes: Object.fromEntries(nodes) };
}

const late = { signal: "SIGTERM", timedOut: true, stdout: "", tail: "" } as const;
const slow = (more: string) =>
  `nodes:\n  - {id: slow, bash: sleep 9, timeout: 10${more}}\n` +
  "  - {id: next, bash: 'true', depends_on: [slow], trigger_rule: all_done}\n";

test("a script that may run out of time is skipped then, and the run succeeds", async () => {
  const shell: NonNullable<Props["shell"]> = ({ script }) => (script === "sleep 9" ? late : "");
  const skipped = await played(slow(", on_timeout: skip"), { shell });
  expect(skipped.nodes).toEqual({ slow: "skipped", next: "completed" });
  expect(skipped.end()).toMatchObject({ conclusion: "success" });
  const failed = await played(slow(""), { shell });
  expect(failed.nodes).toEqual({ slow: "failed", next: "completed" });
  expect(failed.end()).toMatchObject({ conclusion: "failure" });
});

test("a script that fails by itself is not skipped", async () => {
  const it = await played(slow(", on_timeout: skip"), {
    shell: ({ script }) => (script === "sleep 9" ? 1 : 0),
  });
  expect(it.nodes).toMatchObject({ slow: "failed" });
});

test("on_timeout has no effect on a prompt", () => {
  expect(diagnosticsOf("nodes:\n  - {id: a, prompt: p, on_timeout: skip}\n")).toEqual([
    "IGNORED_FIELD 4:24 `on_timeout` has no effect on a prompt node.",
  ]);
});

const proof = "evidence_policy: { required: true }\nnodes:\n  - {id: a, bash: 'true'}\n";

test("a run that must leave evidence fails without it", async () => {
  const asked: FileRequest[] = [];
  const there = await played(proof, {
    file: (request) => {
      asked.push(request);
      return { text: "{}" };
    },
  });
  expect(asked).toMatchObject([{ path: "evidence.json", of: "artifacts" }]);
  expect(there.end()).toMatchObject({ conclusion: "success" });
  const missing = await played(proof);
  expect(missing.nodes).toEqual({ a: "completed" });
  expect(missing.end()).toMatchObject({
    conclusion: "failure",
    because: `evidence_policy requires $ARTIFACTS_DIR/evidence.json, and ${noSuchFile}: let a node write it`,
  });
});

test("the evidence of a failed run is not asked for", async () => {
  const it = await played(proof, { shell: () => 1 });
  expect(it.end()).toMatchObject({ because: expect.stringContaining("exited with 1") });
});

const judged = (schema: string, head = "returns: a\noutcome_field: ready\n") =>
  `${head}nodes:\n  - {id: a, prompt: p, output_format: ${schema}}\n`;
const ready = "{type: object, properties: {ready: {type: boolean}}, required: [ready]}";

test.each([
  [true, "succeeded"],
  [false, "failed"],
])("the outcome of a run whose result says %s is %s; its conclusion stays", async (reported, outcome) => {
  const it = await played(judged(ready), { agent: () => ({ text: "", result: { ready: reported } }) });
  expect(it.end()).toMatchObject({ conclusion: "success", outcome });
});

test("a run whose result is missing has no outcome", async () => {
  const it = await played(
    `${judged(ready)}    when: "'a' == 'b'"\n`.replace("}\n    when", ", when").replace("b'\"\n", "b'\"}\n"),
  );
  expect(it.end()).not.toHaveProperty("outcome");
});

test.each([
  ["no returns", judged(ready, "outcome_field: ready\n"), "BAD_VALUE 3:16 `outcome_field` needs `returns`."],
  [
    "a field that may be missing",
    judged(ready.replace(", required: [ready]", "")),
    "BAD_VALUE 4:16 The `output_format` of `a` does not require a boolean `ready`.",
  ],
  [
    "a field of text",
    judged(ready.replace("boolean", "string")),
    "BAD_VALUE 4:16 The `output_format` of `a` does not require a boolean `ready`.",
  ],
])("outcome_field is refused with %s", (_, text, message) => {
  expect(diagnosticsOf(text)).toContain(message);
});
