import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { eventsOf, openRepository } from "./command-line.ts";

const seed = (name: string) => readFileSync(resolve(`test/dialects/loops/seeds/${name}.yaml`), "utf8");
const session = resolve("test/fixtures/loops/iterative-developer.session.yml");

test("a file of loops, as it was published, runs by its name with the workflow it calls", async () => {
  const { untilGreen } = openRepository({
    files: {
      ".github/loops/iterative_developer.yaml": seed("iterative-developer"),
      ".github/loops/dev_cycle.yaml": seed("dev-cycle"),
    },
  });
  const result = await untilGreen("run", "iterative_developer", "an adder", "--agent", `scripted:${session}`);
  expect(eventsOf(result, "run.started")).toMatchObject([
    { workflow: "iterative_developer", dialect: "loops" },
  ]);
  expect(eventsOf(result, "run.ended"), result.stderr).toMatchObject([
    { conclusion: "success", stop_reason: "answer", iterations: 2, output: "Done in two." },
  ]);
  expect(eventsOf(result, "notice").map(({ code }) => code)).toEqual(["IGNORED_FIELD", "IGNORED_FIELD"]);
  expect(result.code).toBe(0);
});

test("errors of such a file are reported with their positions, and nothing runs", async () => {
  const text = seed("iterative-developer").replace("max_iterations: 5", "max_iterations: 0");
  const { untilGreen } = openRepository({ files: { "w.yaml": text, "dev_cycle.yaml": seed("dev-cycle") } });
  const result = await untilGreen("check", "w.yaml");
  expect(result.code).toBe(2);
  expect(eventsOf(result, "notice").filter(({ code }) => code !== "IGNORED_FIELD")).toMatchObject([
    { code: "LOOP_MAX_RANGE", file: "w.yaml", line: 27, column: 21 },
  ]);
});
