import { expect, test } from "vitest";
import { child, loop } from "../dialects/loops/files.ts";
import { type Props, type Stage, stage } from "../parts/stage.ts";

const each = (items: string) => `
name: t
inputs: { names: { default: "" } }
nodes:
  - { id: list, bash: list }
  - id: deploy
    depends_on: [list]
    loop: { for_each: '${items}', prompt: "deploy $LOOP_ITEM" }
`;

async function ended(source: string, props: Props): Promise<Stage> {
  const it = stage(source, props);
  await it.begin();
  return it;
}

const brokenOff = '[{"name": "a"}, {"na';
const startsLikeJson = "starts like a JSON list but is not valid JSON; check whether it was cut off";

test.each<readonly [string, string, Props, string]>([
  ["a node's output", "$list.output", { shell: () => brokenOff }, `the output of list ${startsLikeJson}`],
  [
    "a field of it",
    "$list.output.names",
    { shell: () => JSON.stringify({ names: brokenOff }) },
    `the field names of list ${startsLikeJson}`,
  ],
  [
    "an input",
    "$INPUTS.names",
    { facts: { inputs: { names: brokenOff } } },
    `the input names ${startsLikeJson}`,
  ],
  ["the run's message", "$USER_MESSAGE", { facts: { message: brokenOff } }, `the list ${startsLikeJson}`],
  [
    "output without its middle",
    "$list.output",
    { shell: () => "a\n[… 812 bytes left out …]\nb" },
    "812 bytes are left out of the output of list; print only what each item needs, such as its name",
  ],
])("an incomplete list in %s is named", async (...[, items, props, because]) => {
  const it = await ended(each(items), props);
  expect(it.prompts).toEqual([]);
  expect(it.end()).toMatchObject({
    ...{ conclusion: "failure", stop_reason: "node-failed" },
    because: `the list of deploy is incomplete: ${because}`,
  });
});

test("a list that breaks off in the output of the previous iteration is named after its node", async () => {
  const source = `
name: t
nodes:
  - id: outer
    loop:
      max_iterations: 2
      until: DONE
      nodes:
        - { id: list, bash: list }
        - { id: each, loop: { for_each: $LOOP_PREV.list.output, prompt: do it, on_error: continue }, depends_on: [list] }
`;
  const it = await ended(source, { shell: () => brokenOff });
  expect(it.end()?.because).toContain("the output of list starts like a JSON list");
});

test("the names of a list with several references, or none, are left out", async () => {
  const late = (path: string) =>
    `${loop("mode: iterate", "max_iterations: 9", `items: "${path}"`, "needs: [first]")}steps:\n  - {name: first, run: x}\n`;
  const workflows = { child: child("x") };
  const two = await ended(late("{{first}}{{input}}"), {
    ...{ workflows, agent: () => '[{"name": "a"}, ' },
    facts: { message: '{"na' },
  });
  expect(two.end()?.because).toBe(`the list of go is incomplete: the list ${startsLikeJson}`);
  const mixed = await ended(late("[{{first}}"), { workflows, agent: () => '{"name": "a"}, {"na' });
  expect(mixed.end()?.because).toBe(`the list of go is incomplete: the output of first ${startsLikeJson}`);
  const file = await ended(late("file://list.json"), { workflows, file: () => ({ text: brokenOff }) });
  expect(file.end()?.because).toBe(`the list of go is incomplete: the list ${startsLikeJson}`);
  const nothing = await ended(late("{{first}}"), { workflows, agent: () => " " });
  expect(nothing.end()?.because).toBe("the items of go are empty");
});

test.each([
  ["a JSON list over several lines", '[\n  "a",\n  "b"\n]', ["a", "b"]],
  ["a JSON list after blank lines", '\n  [ "a" ]', ["a"]],
  ["lines in brackets", "[1/2] build\n[2/2] test", ["[1/2] build", "[2/2] test"]],
  ["lines with brackets and quotes", '[a"b"]\nc', ['[a"b"]', "c"]],
  ["lines that end with a bracket", 'say [ "\nc', ['say [ "', "c"]],
  ["a JSON list on each line", '["a"]\n["b"]', ['["a"]', '["b"]']],
  [
    "lines that speak of bytes left out",
    "why [… 812 bytes left out …]\n[… 812 bytes left out …] why",
    ["why [… 812 bytes left out …]", "[… 812 bytes left out …] why"],
  ],
])("%s are items", async (_, listed, items) => {
  const it = await ended(each("$list.output"), { shell: () => listed });
  expect(it.of("iteration.started").map(({ item }) => item)).toEqual(items);
});

test.each([
  ["nothing after its bracket", "["],
  ["a space after its bracket", '[ {"name": "a"},'],
  ["blank lines before its bracket", '\n [\n"a",'],
  ["a valid list on one of its lines", '["a", 1]\n["b",'],
])("a list with %s, which is not valid JSON, has no items", async (_, listed) => {
  const it = await ended(each("$list.output"), { shell: () => listed });
  expect(it.prompts).toEqual([]);
  expect(it.end()?.because).toBe(`the list of deploy is incomplete: the output of list ${startsLikeJson}`);
});

test.each([
  ["is no list", "1 + 1", "the items of deploy are not a list"],
  ["cannot be evaluated", "list.nothing", "the items of deploy cannot be evaluated: "],
])("an expression that %s fails its loop", async (_, items, because) => {
  const it = await ended(each(items), {});
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "node-failed" });
  expect(it.end()?.because).toContain(because);
});
