import { expect, test, vi } from "vitest";
import { type JobOutcome, plantItems } from "../parts/planted-items.ts";
import { annotationsOf, session } from "./checkout.ts";
import { openRepository } from "./github-job.ts";
import { useOnHost } from "./source.ts";

vi.setConfig({ testTimeout: 240_000 });

const migrate = `name: migrate
inputs: { item: {} }
nodes: [{ id: work, loop: { prompt: "Migrate $INPUTS.item.", until: DONE, max_iterations: 1 } }]
`;
const files = {
  "shared.txt": "old\n",
  ".github/loops/migrate.yml": migrate,
  "session.yml": session({ say: "<promise>DONE</promise>", write: { "item-1.txt": "1\n" } }),
};
const of = "fan-out-256";
const count = 256;

/** Some jobs fail in each way; two of three that change the same file cannot both be in. */
function outcomeOf(number: number): JobOutcome {
  if (number % 40 === 0) return "never began";
  if (number % 41 === 0) return "killed";
  if (number % 43 === 0) return "out of budget";
  if (number % 47 === 0) return "failed";
  return number % 53 === 0 ? "damaged" : "done";
}
const conflicting = [10, 110, 210];
const outcomes = Array.from({ length: count }, (_, at) => ({ number: at + 1, outcome: outcomeOf(at + 1) }));
const filesOf = (number: number) => ({
  [`item-${number}.txt`]: `${number}\n`,
  ...(conflicting.includes(number) ? { "shared.txt": `${number}\n` } : {}),
});

test("256 items are joined with few requests into the right tree, and everything that is missing is named", async () => {
  const host = await openRepository({ files });
  const begin = { workflow: "migrate", agent: "scripted:session.yml", "run-id": of, item: "1" };
  await useOnHost({ host, inputs: { ...begin, inputs: '{"item": "a"}' } });
  plantItems(
    host,
    of,
    outcomes.map(({ number, outcome }) => ({ number, outcome, files: filesOf(number) })),
  );
  const before = host.git.seen.length;
  const publish = { command: "publish", "run-id": of, items: String(count), publish: "pull-request" };
  const joined = await useOnHost({ host, inputs: publish });
  // The checkout of the job is a fetch of its own, of three requests.
  expect(host.git.seen.length - before - 3, joined.log.join("\n")).toBeLessThanOrEqual(20);
  expect(joined.outputs).toMatchObject({ conclusion: "failure", "stop-reason": "node-failed", "run-id": of });

  const branch = "until-green/migrate";
  const done = outcomes.filter(({ outcome, number }) => outcome === "done" && ![110, 210].includes(number));
  const tree = host.git.git("ls-tree", "-r", "--name-only", branch).split("\n");
  expect(tree.filter((name) => name.startsWith("item-")).toSorted()).toEqual(
    done.map(({ number }) => `item-${number}.txt`).toSorted(),
  );
  expect(host.git.git("show", `${branch}:shared.txt`)).toBe("10");
  expect(host.git.git("rev-list", "--count", `main..${branch}`)).toBe(String(done.length));

  const reasons = new Map(
    annotationsOf(joined, "error").map(({ message }) => [Number(/^item (\d+) /.exec(message)?.[1]), message]),
  );
  const because: Readonly<Record<Exclude<JobOutcome, "done">, RegExp>> = {
    "never began": /is missing: there is no run/,
    killed: /is missing: run .* is still running/,
    "out of budget": /failed \(the budget is used up\)/,
    failed: /failed \(a node failed\)/,
    damaged: /is missing: the record of run .* is damaged/,
  };
  const missing = outcomes.filter((one) => !done.includes(one));
  expect([...reasons.keys()].toSorted((a, b) => a - b)).toEqual(missing.map(({ number }) => number));
  for (const { number, outcome } of missing)
    expect(reasons.get(number)).toMatch(
      outcome === "done" ? /conflicts with item 10 \(run .*\) in shared\.txt/ : because[outcome],
    );
});
