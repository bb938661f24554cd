import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtAction } from "../parts/built-action.ts";
import { type CompositeRun, runComposite } from "../parts/composite/run-composite.ts";
import { openOtlpReceiver } from "../parts/otlp-receiver.ts";
import { checkoutOf, session } from "./checkout.ts";

const key = "glc_0123456789abcdef";
const inline = {
  prompt: "Make state.txt say green",
  "until-bash": "env > seen.txt; grep -qx green state.txt",
  agent: "scripted:session.yml",
};

const useAction = async (run: Omit<CompositeRun, "actionDir">) =>
  await runComposite({ ...run, actionDir: builtAction() });

test("`otlp-endpoint` sends the trace of a run, which names the job, with the headers that no program sees", async () => {
  const receiver = await openOtlpReceiver();
  const workspace = await checkoutOf({
    "state.txt": "red\n",
    "session.yml": session({ node: "loop", iteration: 1, say: "Done.", write: { "state.txt": "green" } }),
  });
  const result = await useAction({
    workspace,
    inputs: { ...inline, "otlp-endpoint": `${receiver.url}/otlp/` },
    env: {
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Basic%20${key}`,
      OTEL_SERVICE_NAME: "nightly",
      OTEL_EXPORTER_OTLP_TIMEOUT: "25000",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:9",
    },
  });
  expect(result.ok, result.log.join("\n")).toBe(true);
  expect(new Set(receiver.requests.map(({ path }) => path))).toEqual(new Set(["/otlp/v1/traces"]));
  expect(receiver.requests[0]?.headers.authorization).toBe(`Basic ${key}`);
  const whole = receiver.spans.find(({ parentSpanId }) => parentSpanId === "");
  expect(whole).toMatchObject({
    name: "invoke_workflow inline",
    attributes: { "until_green.conclusion": "success", "until_green.run.id": result.outputs["run-id"] },
    resource: { "service.name": "nightly", "vcs.repository.url.full": expect.stringMatching(/^https?:/) },
  });
  const seen = await readFile(join(workspace, "seen.txt"), "utf8");
  expect(seen).toContain("PATH=");
  expect(seen).not.toContain(key);
});

test("an address that is none is an error before anything runs", async () => {
  const result = await useAction({
    workspace: await checkoutOf({ "a.txt": "" }),
    inputs: { ...inline, "otlp-endpoint": "collector:4318" },
  });
  expect(result.ok).toBe(false);
  expect(result.log.join("\n")).toContain("`otlp-endpoint: collector:4318` is not a URL");
});

test("a receiver that refuses the trace is a warning in a green job", async () => {
  const receiver = await openOtlpReceiver(403);
  const workspace = await checkoutOf({ "state.txt": "green\n", "session.yml": session({ say: "ok" }) });
  const result = await useAction({ workspace, inputs: { ...inline, "otlp-endpoint": receiver.url } });
  expect(result.ok, result.log.join("\n")).toBe(true);
  expect(JSON.stringify(result.annotations)).toMatch(/of the trace could not be sent to http:.*Forbidden/);
});
