import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type CommandResult, eventsOf, openRepository, type Repository } from "./command-line.ts";

const folder = resolve("examples/loops");
const workflows = readdirSync(folder).filter(
  (name) => name.endsWith(".yml") && !name.endsWith(".session.yml"),
);
const message = "a greeting on the command line";

/** What people say while a loop waits, each in a process of its own. */
const answers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "guided-refine.yml": [
    ["approve", "shorter please"],
    ["approve", "good, take it"],
  ],
  "plan-approve-implement.yml": [["reject", "no new dependency"], ["approve"]],
};

/** What else an example shows. */
const shown: Readonly<Record<string, (result: CommandResult, repository: Repository) => void>> = {
  // the agent says too early that it is done
  "ralph.yml": (result) => {
    const verdicts = eventsOf(result, "stop.tested").map(({ path, kind, verdict }) => [path, kind, verdict]);
    expect(verdicts.slice(2, 4)).toEqual([
      ["/work#2?1", "signal", "done"],
      ["/work#2?2", "until-bash", "go-on"],
    ]);
  },
  // the page kept is that of the second round
  "smallest-page.yml": (_, { cwd }) => {
    expect(readFileSync(join(cwd, "page.html"), "utf8")).toContain("<h1>until-green</h1><a href=");
  },
  // all answers are handed on, in the order of the list
  "for-each.yml": (result) => {
    const checked = eventsOf(result, "node.ended").find(({ node }) => node === "check");
    expect(checked?.output.split("\n---\n")).toEqual([
      "this page: ok",
      expect.stringMatching(/^install\.md/),
      "this page: ok",
    ]);
  },
};

/** What must be in the repository besides the commit. */
const repositories: Readonly<Record<string, () => Repository>> = {
  "for-each.yml": () =>
    openRepository({ files: { "docs/index.md": "#", "docs/install.md": "#", "docs/use.md": "#" } }),
};

test("every example passes the check without a warning", async () => {
  const demo = resolve("examples/demo/.github/loops/fix-tests.yml");
  const { code, events } = await openRepository().untilGreen("check", demo, ...workflows.map(at));
  // The examples lie outside of the projects whose files they protect.
  const other = events.filter((event) => event.type !== "notice" || event.code !== "GLOB_NO_MATCH");
  expect({ code, events: other }).toEqual({ code: 0, events: [] });
});

test("the page about the examples has a line for each of them", () => {
  expect(
    endings()
      .map(({ workflow }) => workflow)
      .sort(),
  ).toEqual([...workflows].sort());
});

describe.each(endings())("$workflow", ({ workflow, conclusion, reason, iterations }) => {
  test(`ends with its session as its page says: ${conclusion}, ${reason}`, async () => {
    const repository = repositories[workflow]?.() ?? openRepository();
    const last = await playedToItsEnd(workflow, repository);
    const [end] = eventsOf(last, "run.ended");
    expect(end, last.stderr).toMatchObject({
      conclusion,
      stop_reason: reason,
      ...(iterations && { iterations }),
    });
    expect(last.code).toBe(0);
    shown[workflow]?.(last, repository);
  });
});

test("the demo ends green in four iterations, with the tests as they were", async () => {
  const repository = openRepository({ copy: "examples/demo" });
  const result = await repository.untilGreen("run", "fix-tests", "--agent", "scripted:session.yml");
  expect(eventsOf(result, "run.ended")).toMatchObject([
    { conclusion: "success", stop_reason: "until-bash", iterations: 4 },
  ]);
  expect(eventsOf(result, "notice").map(({ code }) => code)).toEqual(["TAMPERED"]);
  expect(readFileSync(join(repository.cwd, "test/csv.test.js"))).toEqual(
    readFileSync("examples/demo/test/csv.test.js"),
  );
});

/** Runs an example, lets people say what it waits for, and answers what its last process said. */
async function playedToItsEnd(workflow: string, { untilGreen }: Repository): Promise<CommandResult> {
  const session = `scripted:${at(workflow.replace(".yml", ".session.yml"))}`;
  let result = await untilGreen("run", at(workflow), message, "--run-id", "the-run", "--agent", session);
  for (const [word = "", ...text] of answers[workflow] ?? []) {
    expect({ code: result.code, paused: eventsOf(result, "run.paused") }, result.stderr).toMatchObject({
      code: 3,
      paused: [{ stop_reason: "gate" }],
    });
    result = await untilGreen(word, "the-run", ...text);
  }
  return result;
}

function at(name: string): string {
  return join(folder, name);
}

/** The endings that the page about the examples promises. */
function endings() {
  const rows = readFileSync(at("README.md"), "utf8").matchAll(
    /^\| \[([\w-]+\.yml)\].*?\| ([^|]*) \| ([^|]*) \|$/gm,
  );
  return [...rows].map(([, workflow = "", ends = "", iterations = ""]) => {
    const [conclusion = "", reason = ""] = [...ends.matchAll(/`([\w-]+)`/g)]
      .slice(-2)
      .map(([, word]) => word);
    return { workflow, conclusion, reason, iterations: Number(iterations) || undefined };
  });
}
