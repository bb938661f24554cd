import { describe, expect, test, vi } from "vitest";
import { annotationsOf, session } from "./checkout.ts";
import { cloneOf, openRepository, recordIn, stateOf } from "./github-job.ts";
import { commitOn, useOnHost } from "./source.ts";

// Each item is a job with git and a server behind it.
vi.setConfig({ testTimeout: 240_000 });

const migrate = `name: migrate
interactive: true
inputs: { item: {} }
nodes:
  - id: work
    loop: { prompt: "Migrate $INPUTS.item.", until: DONE, max_iterations: 2, interactive: true, gate_message: Look. }
`;
const writes = (item: string, write: object) => ({
  contains: `Migrate ${item}.`,
  say: "<promise>DONE</promise>",
  write,
});
const files = {
  "all.txt": "old\n",
  ".github/loops/migrate.yml": migrate,
  "session.yml": session(
    writes("a", { "all.txt": "a\n" }),
    writes("b", { "all.txt": "b\n" }),
    { node: "work", iteration: 1, contains: "Migrate c.", say: "Which one?" },
    writes("c", { "c.txt": "c\n" }),
    writes("d", { "d.txt": "d\n" }),
  ),
};
const of = "spread-out-1";
const begin = (item: number, name: string) => ({
  workflow: "migrate",
  agent: "scripted:session.yml",
  "run-id": of,
  item: String(item),
  inputs: JSON.stringify({ item: name }),
});
const publish = { command: "publish", "run-id": of, items: "5", publish: "pull-request" };

describe("a run that is spread over jobs, an item each", () => {
  test("keeps each item below itself, and joins what is done; conflicts, pauses and gaps are named", async () => {
    const host = await openRepository({ users: { ann: "write" }, files });
    for (const [at, name] of ["a", "b", "c", "d"].entries()) {
      const result = await useOnHost({ host, inputs: begin(at + 1, name) });
      expect(result.ok, result.log.join("\n")).toBe(true);
      expect(result.outputs).toMatchObject({
        "run-id": `${of}-item-${at + 1}`,
        "state-ref": `refs/until-green/${of}/items/${at + 1}/state`,
      });
    }
    const first = await useOnHost({ host, inputs: publish });
    expect([first.ok, first.outputs], first.log.join("\n")).toMatchObject([
      false,
      { conclusion: "failure", "stop-reason": "node-failed", "run-id": of, iterations: "4" },
    ]);
    const named = annotationsOf(first, "error").map(({ message }) => message);
    expect(named.toSorted()).toEqual([
      expect.stringMatching(/^item 2 \(run .*-item-2\) conflicts with item 1 \(run .*-item-1\) in all\.txt$/),
      expect.stringMatching(/^item 3 \(run .*-item-3\) is paused \(waiting for approval\): resume it/),
      expect.stringMatching(/^item 5 \(run .*-item-5\) is missing: there is no run/),
    ]);
    const branch = "until-green/migrate";
    expect(host.git.git("diff", "--name-only", "main", branch).split("\n")).toEqual(["all.txt", "d.txt"]);
    expect(host.git.git("show", `${branch}:all.txt`)).toBe("a");
    const pull = await host.as("octocat", "GET /pulls/1");
    expect(pull).toMatchObject({ draft: true, body: expect.stringMatching(/Not in it.*\n> - item 3/) });
    expect(pull.body).toMatch(/> - item 2 \(run spread-out-1-item-2\) conflicts with item 1/);
    expect(first.summary).toMatch(
      /3 of 5 are not in it[\s\S]*\| 5 \| `spread-out-1-item-5` \| ❌ is missing/,
    );

    await recordIn(host, `${of}-item-3`, (gate) => ({
      type: "run.decided",
      at: new Date().toISOString(),
      gate,
      decision: "approve",
      by: "ann",
      text: "c",
    }));
    const went = await useOnHost({ host, inputs: { command: "resume", "run-id": of, item: "3" } });
    expect(went.outputs, went.log.join("\n")).toMatchObject({
      conclusion: "success",
      "run-id": `${of}-item-3`,
    });
    const again = await useOnHost({ host, inputs: publish });
    expect(host.git.git("diff", "--name-only", "main", branch).split("\n"), again.log.join("\n")).toEqual([
      "all.txt",
      "c.txt",
      "d.txt",
    ]);

    const terminal = await cloneOf(host);
    const list = await terminal.run("list", "--store", "git");
    expect(list.stdout.match(/spread-out-1-item-\d/g)?.toSorted()).toEqual(
      [1, 2, 3, 4].map((n) => `${of}-item-${n}`),
    );
    const status = await terminal.run("status", `${of}-item-3`, "--store", "git");
    expect(status.stdout).toContain("✅ migrate succeeded");
    expect(stateOf(host, `${of}/items/3`).run).toBe(`${of}-item-3`);
  });

  test("leaves out an item that began from another commit, and is green when nothing is missing", async () => {
    const host = await openRepository({ files });
    await useOnHost({ host, inputs: begin(1, "a") });
    await commitOn(host, "main", { "later.txt": "l\n" });
    await useOnHost({ host, inputs: begin(2, "d") });
    const both = await useOnHost({ host, inputs: { ...publish, items: "2" } });
    expect(both.ok, both.log.join("\n")).toBe(false);
    expect(annotationsOf(both, "error")[0]?.message).toMatch(
      /^item 2 .* started from a different commit than item 1/,
    );
    const one = await useOnHost({ host, inputs: { ...publish, items: "1" } });
    expect(one.outputs, one.log.join("\n")).toMatchObject({ conclusion: "success", "run-id": of });
    expect(await host.as("octocat", "GET /pulls/1")).toMatchObject({ draft: false });
    host.git.git("update-ref", `refs/until-green/${of}/items/2/state`, "main");
    const damaged = await useOnHost({ host, inputs: { ...publish, items: "2" } });
    expect(annotationsOf(damaged, "error").map(({ message }) => message)).toEqual([
      expect.stringMatching(/^item 2 .* is missing: /),
    ]);
    expect(damaged.outputs["pull-request-number"], damaged.log.join("\n")).toBe("1");
  });

  test.each([
    { leaky: 1, whole: 2 },
    { leaky: 2, whole: 1 },
  ])("leaves out item $leaky, whose work held a key, and joins the other", async ({ leaky, whole }) => {
    const host = await openRepository({ files });
    const openai = "sk-in-the-work-of-one-0123456789";
    const agent = (item: number) =>
      `echo "${item === leaky ? "$OPENAI_API_KEY" : "n"}" > ${item}.txt; echo "<promise>DONE</promise>"`;
    for (const item of [1, 2]) {
      const { agent: _, ...inputs } = begin(item, "a");
      const work = { ...inputs, "agent-command": agent(item), "openai-api-key": openai };
      await useOnHost({ host, inputs: work });
    }
    const joined = await useOnHost({ host, inputs: { ...publish, items: "2" } });
    expect([joined.ok, joined.outputs], joined.log.join("\n")).toMatchObject([
      false,
      { conclusion: "failure", "stop-reason": "node-failed", branch: "until-green/migrate" },
    ]);
    expect(annotationsOf(joined, "error").map(({ message }) => message)).toEqual([
      expect.stringMatching(
        new RegExp(`^item ${leaky} .* is left out: .* a key or a token was found in ${leaky}.txt`),
      ),
    ]);
    expect(host.git.git("diff", "--name-only", "main", "until-green/migrate")).toBe(`${whole}.txt`);
    const pull = await host.as("octocat", "GET /pulls/1");
    expect(pull).toMatchObject({
      draft: true,
      body: expect.stringMatching(new RegExp(`Not in it.*\\n> - item ${leaky} `)),
    });
  });
});
