import { expect, test } from "vitest";
import type { WorkspaceRequest } from "../../../src/ports/workspace.ts";
import type { Props } from "../../parts/stage.ts";
import { stage } from "../../parts/stage.ts";
import { diagnosticsOf, noFiles, planOf } from "./files.ts";

/** A checkout whose tree is the number of changes made so far. */
function checkout() {
  let changes = 0;
  const props: Props = {
    agent: ({ node, prompt }) => {
      if (prompt.startsWith("write")) changes++;
      return `did ${node}`;
    },
    workspace: (request) => {
      if (request.op !== "snapshot") return {};
      const diff = { files: 1, added: 1, removed: 0, paths: ["src/a.ts"] };
      return { commit: `c${changes}`, tree: `t${changes}`, ...(request.since === undefined ? {} : { diff }) };
    },
  };
  return props;
}

const file = (...nodes: string[]) => `name: w\nnodes:\n${nodes.map((it) => `  - ${it}\n`).join("")}`;

test("a node that must not change the checkout fails if it does, is not tried again, and the file is named", async () => {
  const text = file(
    "{ id: look, prompt: write it, mutates_checkout: false, retry: { max_attempts: 3, on_error: all } }",
    "{ id: next, prompt: go on, depends_on: [look] }",
  );
  const it = stage(planOf(text), checkout());
  await it.begin();
  expect(it.prompts).toHaveLength(1);
  expect(it.of("node.ended")).toMatchObject([
    {
      node: "look",
      status: "failed",
      reason: "files of the checkout changed while it ran, although it must not change them: src/a.ts",
    },
    { node: "next", status: "skipped" },
  ]);
});

test.each(["{ id: look, prompt: read it, mutates_checkout: false }", "{ id: look, prompt: write it }"])(
  "%s succeeds",
  async (node) => {
    const it = stage(planOf(file(node)), checkout());
    await it.begin();
    expect(it.end()).toMatchObject({ conclusion: "success" });
  },
);

test("without git there is nothing to compare", async () => {
  const { workspace: _, ...props } = checkout();
  const it = stage(planOf(file("{ id: look, prompt: write it, mutates_checkout: false }")), props);
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("a loop fails after its iterations", async () => {
  const text = file(
    "{ id: look, mutates_checkout: false, loop: { prompt: write DONE, until: DONE, max_iterations: 2 } }",
  );
  const it = stage(planOf(text), { ...checkout(), agent: checkout().agent ?? (() => "") });
  await it.begin();
  expect(it.of("node.ended").at(-1)).toMatchObject({ node: "look", status: "failed" });
});

test("such nodes run in parallel, but not in parallel with a node that may change files", () => {
  const text = file(
    "{ id: a, prompt: write }",
    "{ id: r1, prompt: read, mutates_checkout: false }",
    "{ id: gate, approval: { message: Well? } }",
    "{ id: r2, prompt: read, mutates_checkout: false }",
    "{ id: late, prompt: write, depends_on: [a] }",
    "{ id: r3, prompt: read, mutates_checkout: false, depends_on: [late] }",
  ).replace("name: w", "name: w\ninteractive: true");
  const waits = planOf(text).body.nodes.map(({ id, behind = [] }) => `${id} < ${behind.join(" ")}`);
  expect(waits).toEqual(["a < ", "r1 < a", "gate < ", "r2 < a", "late < r1 r2", "r3 < "]);
});

test.each([
  ["started after it", ["{ id: call, workflow: child }", "{ id: other, prompt: write it }"]],
  ["started before it", ["{ id: other, prompt: write it }", "{ id: call, workflow: child }"]],
])("what another node that %s may have changed is reported, and blamed on nobody", async (_, nodes) => {
  const child = file("{ id: look, prompt: read it, mutates_checkout: false }");
  const files = { ...noFiles, workflow: () => ({ file: "child.yml", text: child }) };
  const props = checkout();
  let release = () => {};
  const written = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begin = () => {};
  const looking = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const it = stage(planOf(file(...nodes), files), {
    ...props,
    agent: async (request, count, context) => {
      if (request.node === "look") begin();
      await (request.node === "look" ? written : looking);
      const answer = await props.agent?.(request, count, context);
      if (request.node === "other") release();
      return answer ?? "";
    },
  });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success" });
  expect(it.of("notice").map(({ code, path, message }) => `${code} ${path} ${message}`)).toEqual([
    "CHECKOUT_CHANGED /call/look files changed while look ran, which must not change the checkout; another node may have changed them: src/a.ts",
  ]);
});

test("an agent that has worked before is not suspected, and the checkout is compared around the node", async () => {
  const asked: WorkspaceRequest[] = [];
  const { workspace, ...props } = checkout();
  const text = file(
    "{ id: before, prompt: write it }",
    "{ id: look, prompt: write it, mutates_checkout: false, depends_on: [before] }",
  );
  const it = stage(planOf(text), {
    ...props,
    workspace(request) {
      asked.push(request);
      const { diff: _, ...plain } = workspace?.(request) ?? {};
      return plain;
    },
  });
  await it.begin();
  expect(asked).toEqual([
    { op: "snapshot", since: undefined, message: "around look" },
    { op: "snapshot", since: "c1", message: "around look" },
  ]);
  expect(it.of("notice")).toEqual([]);
  expect(it.of("node.ended").at(-1)).toMatchObject({
    status: "failed",
    output: "did look",
    reason:
      "files of the checkout changed while it ran, although it must not change them: files of the checkout",
  });
});

test("it has no effect on a gate", () => {
  const text = file("{ id: g, approval: { message: Well? }, mutates_checkout: false }");
  expect(diagnosticsOf(text.replace("name: w", "name: w\ninteractive: true"))).toEqual([
    "~IGNORED_FIELD 4:44",
  ]);
});
