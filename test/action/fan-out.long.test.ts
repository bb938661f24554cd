import { expect, test, vi } from "vitest";
import { builtAction } from "../parts/built-action.ts";
import { byInterpreter } from "../parts/ready-workflow.ts";
import { session } from "./checkout.ts";
import { openRepository } from "./github-job.ts";

/** Jobs of the fan-out, each a process of its own; more by hand, as in `UNTIL_GREEN_FAN_OUT=256`. */
const count = Number(process.env["UNTIL_GREEN_FAN_OUT"] ?? "14");

vi.setConfig({ testTimeout: Math.max(240_000, count * 60_000) });

type Fate = "done" | "needs more" | "killed" | "conflicts" | "fails" | "takes too much" | "never runs";

const outcomes: Readonly<Record<number, Fate>> = {
  3: "killed",
  5: "needs more",
  6: "conflicts",
  8: "conflicts",
  9: "fails",
  11: "takes too much",
  13: "never runs",
};
/**
 * Only the last of these takes more than its part of the $50: it leaves the jobs after it their first parts, and little
 * more. Those that need more come before it.
 */
const lastSpender = count - ((count - 11) % 16);
const outcomeOf = (number: number): Fate => {
  const outcome = outcomes[number % 16] ?? "done";
  return outcome === "takes too much" && number !== lastSpender ? "done" : outcome;
};
const items = Array.from({ length: count }, (_, at) => ({ number: at + 1, outcome: outcomeOf(at + 1) }));

const usage = { input_tokens: 10, output_tokens: 10 };

function replyOf({ number, outcome }: (typeof items)[number]) {
  const contains = `Migrate item ${number}.`;
  const write = {
    [`item-${number}.txt`]: `${number}\n`,
    ...(outcome === "conflicts" ? { "shared.txt": `${number}\n` } : {}),
    ...(outcome === "killed" ? { hang: "\n" } : {}),
  };
  const reply = (say: string, cost_usd: number) => ({
    contains,
    times: 0,
    say,
    write,
    usage: { ...usage, cost_usd },
  });
  const ready = "<promise>DONE</promise>";
  if (outcome === "fails") return [reply("Not yet.", 0.01)];
  if (outcome === "takes too much") return [reply("Not yet.", 30)];
  // More than the part that each job begins with, twice.
  const much = 60 / count;
  if (outcome === "needs more") return [{ ...reply("Not yet.", much), iteration: 1 }, reply(ready, much)];
  return [reply(ready, 0.01)];
}

const migrate = `name: migrate
inputs: { items: {} }
nodes:
  - id: each
    loop:
      for_each: $INPUTS.items
      spread: jobs
      max_parallel: 4
      nodes:
        - { id: work, loop: { prompt: "Migrate $LOOP_ITEM.", until: DONE, max_iterations: 2 } }
        - { id: settle, depends_on: [work], bash: "test ! -e hang || sleep 30" }
`;

/** The step before ours: machines that are lost before they start a job, or in the middle of it. */
const misfortune = `      - run: |
          number=\${{ matrix.of.number }}
          test $((number % 16)) != 13
          watch() {
            until test -e hang; do sleep 0.1; done
            for process in /proc/[0-9]*; do
              test "$(readlink $process/cwd)" = "$PWD" || continue
              if grep -q action.js $process/cmdline; then kill -9 "\${process#/proc/}"; fi
            done
          }
          if test $((number % 16)) = 3; then watch > /dev/null 2>&1 & fi
`;
/** The items need no packages. */
const change = (text: string) =>
  text.replace(/ +- uses: actions\/setup-node.*\n.*\n.*\n +- run: npm ci\n/, misfortune);

const named = (outcome: Fate) => items.filter((one) => one.outcome === outcome).map(({ number }) => number);

test("a fan-out whose jobs are killed, conflict, fail, cost too much or never run joins to the right tree", async () => {
  const host = await openRepository({
    users: {},
    files: {
      "shared.txt": "old\n",
      ".github/loops/migrate.yml": migrate,
      ".github/session.yml": session(...items.flatMap(replyOf)),
    },
  });
  const inputs = { list: "", items: JSON.stringify(items.map(({ number }) => `item ${number}`)) };
  const trigger = {
    name: "migrate",
    job: true as const,
    event: "workflow_dispatch",
    inputs,
    id: 11,
    change,
    action: builtAction(),
  };
  const { log, jobs } = await byInterpreter(host, trigger);
  expect(jobs, log).toMatchObject({ list: "success", join: "failure" });

  const claimed = JSON.parse(host.git.git("show", "refs/until-green/migrate-11-1/claims:claims"));
  expect(Object.keys(claimed.jobs)).toEqual(expect.arrayContaining(named("needs more").map(String)));

  const branch = "until-green/migrate";
  const [first = 0, ...others] = named("conflicts");
  const joined = [...named("done"), ...named("needs more"), first].toSorted((a, b) => a - b);
  const tree = host.git.git("diff", "--name-only", "main", branch).split("\n");
  expect(tree.toSorted(), log).toEqual([...joined.map((n) => `item-${n}.txt`), "shared.txt"].toSorted());
  expect(host.git.git("show", `${branch}:shared.txt`)).toBe(String(first));
  const because: Readonly<Record<Exclude<Fate, "done" | "needs more">, RegExp>> = {
    killed: /is missing: run .* is still running/,
    conflicts: new RegExp(`conflicts with item ${first} `),
    fails: /failed \(the iteration limit was reached\)/,
    "takes too much": /failed \(the budget is used up\)/,
    "never runs": /is missing: there is no run/,
  };
  // A pull request has room for some of them only.
  expect((await host.as("octocat", "GET /pulls/1")).body).toMatch(/Not in it.*\n> - item 3 /);
  const reasons = new Map(
    [...log.matchAll(/^Error: item (\d+) (.*)$/gm)].map(([, n, why]) => [Number(n), why]),
  );
  const isJoined = (number: number) => joined.includes(number);
  const missing = items.filter(({ number }) => !isJoined(number));
  expect(
    [...reasons.keys()].toSorted((a, b) => a - b),
    log,
  ).toEqual(missing.map(({ number }) => number));
  for (const { number, outcome } of missing)
    if (outcome !== "done" && outcome !== "needs more") expect(reasons.get(number)).toMatch(because[outcome]);
  expect(others.length).toBeGreaterThan(0);
});
