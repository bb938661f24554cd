import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test, vi } from "vitest";
import { compile } from "../../src/compile/compile.ts";
import type { Files } from "../../src/dialects/dialect.ts";
import { fillInputs } from "../../src/plan/inputs.ts";
import { AgentError } from "../../src/ports/agent.ts";
import { scriptRunner } from "../../src/processes/script.ts";
import { convert } from "../../tools/convert/convert.ts";
import { filesOf as blocksFiles } from "../dialects/blocks/files.ts";
import { plainBlocks } from "../parts/plain-blocks.ts";
import { fc } from "../parts/random.ts";
import { randomBlocks } from "../parts/random-blocks.ts";
import { type Props, type Stage, stage } from "../parts/stage.ts";

// Python starts slowly on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const seedOf = (name: string) => readFileSync(`test/dialects/loops/seeds/${name}.yaml`, "utf8");
const children: Readonly<Record<string, string>> = {
  dev_cycle: seedOf("dev-cycle"),
  inner_workflow: "name: inner\nloops: []\nsteps: [{ name: work, run: work }]\n",
};

/** Whatever workflow is called is there, and the souls that Runsight's page names are. */
const files: Files = {
  ...blocksFiles(),
  workflow: (name) => ({ file: `${name}.yaml`, text: children[name] ?? children["inner_workflow"] ?? "" }),
};

type Agent = NonNullable<Props["agent"]>;

/** Answers that make loops turn, break and end: the same for the same question. */
const replies: Agent = ({ node, role, schema, iteration = 0 }) => {
  const done = iteration >= 2;
  if (role === "evaluator") return done ? "YES" : "No.";
  const result = {
    done,
    score: iteration * 3,
    verdict: done ? "approved" : "no",
    services: ["one", "two"],
    items: [1, 2],
  };
  if (role === "judge" || schema !== undefined) return { text: JSON.stringify(result), result };
  if (/review|check/.test(node)) return done ? "PASS, GOOD, approved" : "FAIL: NEEDS WORK";
  return `${node.replaceAll(/\W/g, "_")} said ${iteration}`;
};

async function run(text: string, agent: Agent): Promise<Stage> {
  const compiled = compile({ text, file: "w.yml" }, files);
  if (!compiled.ok) throw new Error(compiled.diagnostics.map(({ message }) => message).join("\n"));
  const { inputs } = fillInputs(compiled.plan, {});
  const it = stage(compiled.plan, { agent, facts: { inputs, artifacts: "/tmp" } });
  Object.assign(it.world, { workspace: process.cwd(), script: scriptRunner(process.env) });
  await it.begin();
  return it;
}

/** What a run must have in common with the one of the file it was converted from. */
function historyOf(it: Stage) {
  const loops = new Set(it.of("loop.ended").map(({ path }) => path));
  const ends = it.of("node.ended");
  const named = (text: string) => text.replaceAll(/[^\w/#]/g, "_");
  return {
    conclusion: it.end()?.conclusion,
    iterations: it.end()?.iterations,
    asked: it.prompts.map(({ node, iteration }) => `${named(node)} ${iteration}`),
    ended: ends.flatMap(({ path, status, output }) =>
      status === "skipped" ? [] : [`${named(path)} ${status} ${loops.has(path) ? "" : named(output)}`],
    ),
    // Blocks that a walk never came to are told at its end.
    skipped: ends.flatMap(({ path, status }) => (status === "skipped" ? [named(path)] : [])).toSorted(),
    rounds: it
      .of("loop.ended")
      .map(({ path, status, iterations }) => `${named(path)} ${status} ${iterations}`),
  };
}

/** The words of a prompt, but for those of headings and of JSON, which is told in other forms. */
const wordsOf = (prompt: string): ReadonlySet<string> =>
  new Set(prompt.replaceAll(/^#+ .*$|```[\s\S]*?```|\{.*\}/gm, "").match(/[a-z]\w+|\d+/gi));

/** What converting a file comes to: alike, or why not, in words. */
async function compared(text: string, agentOf = () => replies): Promise<"alike" | readonly string[]> {
  const converted = convert({ text, file: "w.yml" }, files);
  if (!converted.ok) return converted.diagnostics.map(({ message }) => message);
  const [before, after] = [await run(text, agentOf()), await run(converted.text, agentOf())];
  expect(historyOf(after), converted.text).toEqual(historyOf(before));
  for (const [index, { role, prompt }] of before.prompts.entries()) {
    const words = wordsOf(after.prompts[index]?.prompt ?? "");
    const lost = [...wordsOf(prompt)].filter((word) => !words.has(word));
    if (role === "worker") expect(lost, converted.text).toEqual([]);
  }
  return "alike";
}

/** What each seed needs that only its own language has; the others are carried over. */
const cannot: Readonly<Record<string, RegExp>> = {
  "carry-context.yaml": /carries values/,
  "code-and-gate.yaml": /`__loop__improve_loop`, which loops/,
  "simple-loop.yaml": /`draft`, which only the loop `refine`/,
  "stateful.yaml": /continues the conversation/,
  "iterative-developer.yaml": /an earlier loop counted/,
  "use-loop-result.yaml": /an earlier loop counted/,
};

const seeds = globSync("test/dialects/{blocks,loops,steps}/seeds/*.{yml,yaml}").toSorted();

test.each(seeds)("%s runs as before, or says why it cannot be converted", async (file) => {
  const result = await compared(readFileSync(file, "utf8"));
  const why = cannot[basename(file)];
  if (why === undefined) expect(result).toBe("alike");
  else expect(result).toContainEqual(expect.stringMatching(why));
});

/** The same, but every third question is one that breaks the agent. */
const clumsy = (): Agent => {
  let asked = 0;
  return (request, ...rest) => {
    const isBroken = request.role === "worker" && ++asked % 3 === 2;
    return isBroken ? new AgentError("crash", "broken") : replies(request, ...rest);
  };
};

test.each(seeds.filter((file) => file.includes("/loops/") && !(basename(file) in cannot)))(
  "%s continues as before if iterations fail",
  async (file) => expect(await compared(readFileSync(file, "utf8"), clumsy)).toBe("alike"),
);

/** A number that looks random, and is the same for the same text. */
const diceOf = (text: string) =>
  [...text].reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) % 9973, 7);

const gambler: Agent = ({ node, iteration = 0, prompt }) => {
  const name = node.replaceAll(/\W/g, "_");
  const dice = diceOf(`${name} ${iteration}`);
  if (dice % 19 === 0) return new AgentError("crash", `${name} broke`);
  if (prompt.includes("first line of your answer"))
    return dice % 3 === 0 ? `PASS ${name}` : `FAIL: ${name} ${iteration}`;
  const word = dice % 2 === 0 ? "done" : "more";
  const output = { score: dice % 7, word, yes: dice % 5 > 2, deep: { word } };
  return [JSON.stringify(output), `${name} says ${word}`, String(dice % 7), '["2", 2]'][dice % 4] ?? "";
};

test("files of blocks with a native form run as before", async () => {
  await fc.assert(
    fc.asyncProperty(plainBlocks, async (text) => {
      expect(await compared(text, () => gambler), text).toBe("alike");
    }),
    { numRuns: 60, seed: 1 },
  );
});

test("random blocks run as before or say why they cannot be converted", async () => {
  await fc.assert(
    fc.asyncProperty(randomBlocks, async (text) => {
      const result = await compared(text, () => gambler);
      expect(
        result === "alike" || result.every((result) => /^(?:`[\w-]+` cannot be|A |The |Nobody)/.test(result)),
      ).toBe(true);
    }),
    { numRuns: 100, seed: 1 },
  );
});
