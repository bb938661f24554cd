import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { openClone, openHost } from "../parts/clones.ts";
import { loopFile } from "../parts/terminal.ts";

const workflow = loopFile(
  `prompt: "[$LOOP_USER_INPUT] after [$LOOP_PREV_OUTPUT] with $ARTIFACTS_DIR"
until: DONE
max_iterations: 9
interactive: true
gate_message: look`,
  "interactive: true\nbudget: { tokens: 100 }\n",
);

const replies = `replies:
  - { say: first, write: { one.txt: "1" }, run: "rm README.md", usage: { input_tokens: 5, output_tokens: 5, cost_usd: 0.5 } }
  - { say: second, write: { two.txt: "2" }, run: "test -f one.txt && test ! -f README.md", usage: { input_tokens: 5, output_tokens: 5, cost_usd: 0.5 } }
  - { contains: "third please", say: "third <promise>DONE</promise>", run: "test -f two.txt", usage: { input_tokens: 5, output_tokens: 5, cost_usd: 0.5 } }
`;

test.each([undefined, 1])(
  "a run paused in one clone continues in another, and in a third, with all its state (depth %s)",
  async (depth) => {
    const server = await openHost({ "README.md": "a project\n", "w.yml": workflow, "replies.yml": replies });
    const how = ["--store", "git", "--json"];
    const [a, b, c] = await Promise.all(
      [1, 2, 3].map(() => openClone(server, depth === undefined ? {} : { depth })),
    );
    if (a === undefined || b === undefined || c === undefined) throw new Error("no clones");

    const first = await a.run(
      "run",
      "w.yml",
      "--agent",
      "scripted:replies.yml",
      "--run-id",
      "travel-1",
      ...how,
    );
    expect(first.stderr + first.code).toMatch(/3$/);
    expect(server.git("for-each-ref", "--format=%(refname)", "refs/until-green")).toBe(
      "refs/until-green/travel-1/state\nrefs/until-green/travel-1/work",
    );
    const status = () => JSON.parse(server.git("show", "refs/until-green/travel-1/state:state")).status;
    expect(status()).toMatchObject({
      summary: { run: "travel-1", state: "paused", iterations: 1 },
      gates: [{ path: "/fix#1!gate", question: expect.stringContaining("look") }],
      work: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect((await b.run("list", ...how)).events).toMatchObject([{ type: "run.paused", run: "travel-1" }]);

    const second = await b.run("approve", "travel-1", "feedback of b", ...how);
    expect(second.stderr + second.code).toMatch(/3$/);
    expect(readFileSync(join(b.path, "one.txt"), "utf8")).toBe("1");
    expect(existsSync(join(b.path, "README.md"))).toBe(false);
    const asked = second.events.find(({ type }) => type === "agent.asked");
    expect(asked).toMatchObject({ prompt: expect.stringContaining(`with ${dirname(b.path)}/`) });

    const late = await a.run("approve", "travel-1", "third please", ...how);
    expect(late.code).toBe(0);
    expect(existsSync(join(a.path, "two.txt"))).toBe(true);

    const events = (await c.run("status", "travel-1", ...how)).events;
    const prompts = events.flatMap((event) => (event.type === "agent.asked" ? [event.prompt] : []));
    expect(prompts.map((prompt) => prompt.replace(/ with .*/, ""))).toEqual([
      "[] after []",
      "[feedback of b] after [first]",
      "[third please] after [second]",
    ]);
    const sessions = events.flatMap((event) => (event.type === "agent.answered" ? [event.session] : []));
    expect(new Set(sessions).size).toBe(1);
    expect(events.at(-1)).toMatchObject({
      conclusion: "success",
      iterations: 3,
      usage: { input_tokens: 15 },
    });
    expect(status()).toMatchObject({ summary: { state: "ended", iterations: 3 }, gates: [] });
    expect((await c.run("resume", "travel-1", ...how)).code).toBe(2);
  },
);
