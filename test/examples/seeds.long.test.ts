import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { type CommandResult, eventsOf, openRepository, type Repository } from "./command-line.ts";

const sessions = resolve("test/fixtures/seeds");
const seeds = resolve("test/dialects/native/seeds");

interface Played {
  readonly seed: string;
  /** The session's name, where it is not that of the seed. */
  readonly session?: string;
  readonly ends: string;
  readonly iterations: number;
  readonly output?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** What a person answers at each pause. */
  readonly answers?: readonly (readonly string[])[];
}

const plays: readonly Played[] = [
  { seed: "fix-tests", ends: "success until-bash", iterations: 2 },
  {
    seed: "iterate-until-done",
    ends: "success signal",
    iterations: 3,
    output: "Three stories were implemented.",
  },
  {
    seed: "stateless",
    ends: "success signal",
    iterations: 2,
    output: "No story is left.",
    files: { "prd.json": '{"stories": 2}\n' },
  },
  { seed: "refine", ends: "success signal", iterations: 2 },
  { seed: "until-bash", ends: "success until-bash", iterations: 2 },
  {
    seed: "guided-refine",
    ends: "success signal",
    iterations: 3,
    output: "A draft that names the price, spelled well.",
    answers: [["approve", "name the price"], ["approve"]],
  },
  { seed: "guided-refine", ends: "failure rejected", iterations: 1, answers: [["reject", "no need for it"]] },
  { seed: "every-field", ends: "success signal", iterations: 1 },
  {
    seed: "every-field",
    session: "every-field-unfinished",
    ends: "failure check-unevaluable",
    iterations: 1,
  },
  { seed: "prev-output-before", ends: "success signal", iterations: 2 },
  { seed: "prev-output-after", ends: "success signal", iterations: 3, output: "All checks pass." },
];

test("every loop of the pages we learned from is played", () => {
  const played = new Set(plays.map(({ seed }) => `${seed}.yml`));
  expect(readdirSync(seeds).filter((file) => !played.has(file))).toEqual([]);
});

test.each(plays)("$seed, as it was published, ends with $ends", async (play) => {
  const repository = openRepository({ files: play.files ?? {}, programs: `${sessions}/bin` });
  const result = await playedToItsEnd(play, repository);
  const [end] = eventsOf(result, "run.ended");
  const [conclusion, stop_reason] = play.ends.split(" ");
  expect(end, result.stderr).toMatchObject({ conclusion, stop_reason, iterations: play.iterations });
  if (play.output !== undefined) expect(end?.output).toBe(play.output);
  expect(result.code).toBe(conclusion === "success" ? 0 : 1);
});

async function playedToItsEnd(
  { seed, session = seed, answers = [] }: Played,
  { untilGreen }: Repository,
): Promise<CommandResult> {
  const agent = `scripted:${sessions}/${session}.session.yml`;
  const run = ["run", `${seeds}/${seed}.yml`, "build the shop", "--run-id", "the-run", "--agent", agent];
  let result = await untilGreen(...run);
  for (const [word = "", ...text] of answers) {
    expect(result.code, result.stderr).toBe(3);
    result = await untilGreen(word, "the-run", ...text);
  }
  return result;
}
