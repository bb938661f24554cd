import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { aliases, inputNames, readInputs, takeInputs, variableOf } from "../../../action/inputs/inputs.ts";
import { outputNames } from "../../../action/result/outputs.ts";

interface Declared {
  readonly description: string;
  readonly default: string;
  readonly value: string;
}
interface Step {
  readonly id?: string;
  readonly run: string;
  readonly uses?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface ActionFile {
  readonly inputs: Readonly<Record<string, Declared>>;
  readonly outputs: Readonly<Record<string, Declared>>;
  readonly runs: { readonly steps: readonly Step[] };
}

const declared = parse(readFileSync("action.yml", "utf8")) as ActionFile;
const defaults = Object.fromEntries(
  // A job without a token: what is written as an expression is empty.
  Object.entries(declared.inputs).map(([name, input]) => [
    name,
    input.default?.replace(/^\$\{\{.*\}\}$/, ""),
  ]),
);

/** What arrives when a workflow gives these inputs. */
const read = (given: Readonly<Record<string, string>>) =>
  readInputs(JSON.stringify({ ...defaults, ...given }));

const faults = (given: Readonly<Record<string, string>>) => {
  const answer = read(given);
  return answer.ok ? [] : answer.faults;
};

const loop = { prompt: "Go", "until-bash": "true" };

test("a check may be the command `false`", () => {
  expect(faults({ prompt: "Go", "until-bash": "false" })).toEqual([]);
});

test("`check` is another name of `until-bash`", () => {
  const answer = read({ check: "make test" });
  expect(answer.ok && answer.inputs["until-bash"]).toBe("make test");
  expect(faults({ check: "make test", "until-bash": "make" })).toContain(
    "`check` is another name of `until-bash`: set one of them",
  );
  expect(faults({ check: "make", "until-bash": "make" })).toEqual([]);
});

describe("action.yml", () => {
  test("declares the inputs that the program reads, and no other", () => {
    const names = Object.keys(declared.inputs).filter((name) => aliases[name] === undefined);
    expect(names).toEqual(inputNames);
    expect(Object.keys(declared.inputs)).toEqual(expect.arrayContaining(Object.keys(aliases)));
  });

  test("declares the outputs that the program sets, each from the step that sets it", () => {
    expect(Object.keys(declared.outputs)).toEqual([...outputNames]);
    const { conclusion, ...others } = declared.outputs;
    // Anybody may write the output of a step whose program was killed: success is the step's outcome alone.
    const own = "steps.run.outputs.conclusion";
    expect(conclusion?.value).toBe(
      `\${{ steps.run.outcome == 'success' && 'success' || contains(fromJSON('["paused", "skipped", "cancelled"]'), ${own}) && ${own} || 'failure' }}`,
    );
    for (const name of Object.keys(others)) {
      expect(declared.outputs[name]?.value).toMatch(
        new RegExp(`^\\$\\{\\{ steps\\.run\\.outputs\\.${name}( \\|\\| '\\w+')? \\}\\}$`),
      );
    }
  });

  test("has a description for everything, and a default for every input", () => {
    for (const each of [...Object.values(declared.inputs), ...Object.values(declared.outputs)]) {
      expect(each.description).toMatch(/^[A-Z].*[^ ]$/s);
    }
    expect(Object.values(defaults).every((value) => typeof value === "string")).toBe(true);
  });

  test("has no expression in what bash runs, and uses only our own action", () => {
    for (const step of declared.runs.steps) {
      expect(step.run).not.toContain("${{");
      expect(step.uses).toBeUndefined();
    }
  });

  test("passes each input in a variable of its own, which the program reads from its standard input", () => {
    const names = Object.keys(declared.inputs);
    const env = declared.runs.steps.find(({ id }) => id === "run")?.env ?? {};
    const passed = Object.entries(env).filter(([name]) => name.startsWith("UNTIL_GREEN_INPUT_"));
    expect(passed).toEqual(names.map((name) => [variableOf(name), `\${{ inputs.${name} }}`]));
    const variables = names.map((name) => [variableOf(name), `${name}=\n`] as const);
    const { inputs, others } = takeInputs([...variables, ["ANTHROPIC_API_KEY", "a=b"]]);
    expect(JSON.parse(inputs)).toEqual(Object.fromEntries(names.map((name) => [name, `${name}=\n`])));
    expect(others).toEqual({ ANTHROPIC_API_KEY: "a=b" });
  });
});

describe("inputs that are right", () => {
  test("are typed, and what was left out is undefined", () => {
    const answer = read({ ...loop, "max-iterations": "7", "fresh-context": "TRUE", protect: "a/**\n\n b\n" });
    expect(answer).toMatchObject({
      ok: true,
      secrets: [],
      inputs: {
        command: "run",
        prompt: "Go",
        "until-bash": "true",
        "max-iterations": 7,
        "fresh-context": true,
        protect: ["a/**", "b"],
        "dry-run": false,
      },
    });
    expect(answer.ok && [answer.inputs.workflow, answer.inputs["max-minutes"]]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test("keep a text as it is, and an object's values as texts", () => {
    const inputs = '{"a": "x", "b": 1, "c": [true], "__proto__": "p"}';
    const answer = read({ workflow: " fix\n", message: "  two\nlines \n", inputs });
    expect(answer.ok && answer.inputs.workflow).toBe("fix");
    expect(answer.ok && answer.inputs.message).toBe("  two\nlines \n");
    expect(answer.ok && answer.inputs.inputs).toMatchObject({ a: "x", b: "1", c: "[true]" });
  });

  test("name their secrets", () => {
    const answer = read({ ...loop, "anthropic-api-key": "sk-1", "push-token": "ghp" });
    expect(answer.secrets).toEqual(["sk-1", "ghp"]);
    expect(answer.ok && answer.inputs["anthropic-api-key"]).toEqual({ ANTHROPIC_API_KEY: "sk-1" });
  });

  test.each([
    { workflow: "fix" },
    { ...loop, workflow: "  " },
    { "prompt-file": "a.md", until: "READY" },
    { "until-bash": "npm test" },
    { command: "check" },
    { command: "check", workflow: "a\nb" },
    { ...loop, publish: "none", comment: "none", "check-run": "false", draft: "" },
  ])("%j need nothing else", (given) => {
    expect(faults(given)).toEqual([]);
  });
});

describe("inputs that are wrong", () => {
  const number = "is not a number above 0: use 5 or 0.5, for example";
  const whole = "is not a whole number above 0: use 10, for example";
  test.each([
    [{ "max-cost-usd": "$5" }, `\`max-cost-usd: $5\` ${number}`],
    [{ "max-minutes": "0" }, `\`max-minutes: 0\` ${number}`],
    [{ "max-minutes": "Infinity" }, `\`max-minutes: Infinity\` ${number}`],
    [{ "max-iterations": "2.5" }, `\`max-iterations: 2.5\` ${whole}`],
    [{ "max-tokens": "-1" }, `\`max-tokens: -1\` ${whole}`],
    [{ "dry-run": "1" }, "`dry-run: 1` must be `true` or `false`"],
    [{ "run-id": "Run 1" }, expect.stringContaining("`run-id: Run 1` is not a run id")],
    [{ inputs: "a=b" }, expect.stringContaining("`inputs: a=b` is not a JSON object")],
    [{ inputs: "[1]" }, expect.stringContaining("`inputs: [1]` is not a JSON object")],
    [
      { command: "publish" },
      expect.stringContaining("`command: publish` publishes the work of a run: set `run-id`"),
    ],
    [{ "run-id": "one-run two-runs" }, expect.stringContaining("only `command: publish` accepts")],
    [{ comment: "new" }, "`comment: new` is not known: use `auto`, `sticky`, `none`"],
    [{ "check-run": "yes" }, "`check-run: yes` is not known: use `auto`, `true`, `false`"],
    [{ publish: "pr" }, "`publish: pr` is not known: use `none`, `pull-request`, `branch`, `push`"],
    [{ "if-no-changes": "no" }, "`if-no-changes: no` is not known: use `warn`, `fail`, `ignore`"],
    [{ "max-files": "0" }, `\`max-files: 0\` ${whole}`],
    [
      { command: "go" },
      "`command: go` is not known: use `run`, `check`, `plan`, `resume`, `publish`, `comment`, `sweep`",
    ],
    [{ "agent-version": "^2.1" }, "`agent-version: ^2.1` must be an exact version, for example 1.2.3"],
    [{ "agent-args": "--say 'x" }, "`agent-args: --say 'x` has an unmatched quote or a trailing backslash"],
    [{ workflow: "x" }, "`workflow` and `prompt` cannot be combined: remove one of them"],
    [{ "prompt-file": "x" }, "`prompt` and `prompt-file` cannot be combined: remove one of them"],
    [
      { agent: "a", "agent-command": "b" },
      expect.stringContaining("`agent` and `agent-command` cannot be combined"),
    ],
    [{ "until-bash": "" }, expect.stringContaining("the inline loop has no exit condition")],
    [{ command: "check" }, expect.stringContaining("`command: check` reads workflow files")],
  ] as const)("%j is reported with what to do", (given, sentence) => {
    expect(faults({ ...loop, ...given })).toEqual([sentence]);
  });

  test("say that there is nothing to run", () => {
    expect(faults({})).toEqual([expect.stringContaining("there is nothing to run")]);
  });

  test("say which belong to an inline loop only", () => {
    expect(faults({ workflow: "x", until: "READY", protect: "a" })).toEqual([
      expect.stringContaining("`until` is for inline loops"),
      expect.stringContaining("`protect` is for inline loops"),
    ]);
  });

  test("are reported all at once, truncated, in one line, and without secrets", () => {
    const found = read({ "max-tokens": "a\nb", "agent-version": "x".repeat(99), "openai-api-key": "sk-2" });
    expect(found.ok ? [] : found.faults).toEqual([
      `\`agent-version: ${"x".repeat(59)}…\` must be an exact version, for example 1.2.3`,
      `\`max-tokens: a b\` ${whole}`,
      expect.stringContaining("there is nothing to run"),
    ]);
    expect(found.secrets).toEqual(["sk-2"]);
    expect(JSON.stringify(found.ok ? [] : found.faults)).not.toContain("sk-2");
  });

  test.each(["", "[]", "{", '{"a": 1}'])(
    "that are no JSON of texts at all, like %j, are a defect of ours",
    (json) => {
      const answer = readInputs(json);
      expect(answer.ok ? [] : answer.faults).toEqual([expect.stringContaining("did not reach the action")]);
    },
  );
});

test.each<[string, readonly string[] | undefined]>([
  ["", undefined],
  ["--max-turns 20", ["--max-turns", "20"]],
  ['--say \'two words\'\n--and="a \\"quote\\""', ["--say", "two words", '--and=a "quote"']],
  ["$HOME `id` $(id) a\\ b ''", ["$HOME", "`id`", "$(id)", "a b", ""]],
])("the agent's arguments %j are words and nothing else", (given, wanted) => {
  const found = read({ prompt: "go", until: "DONE", "agent-args": given });
  expect(found.ok && found.inputs["agent-args"]).toEqual(wanted);
});

describe("an item of a run", () => {
  const read = (given: Readonly<Record<string, string>>) => readInputs(JSON.stringify(given));

  test("is named by the run and its number", () => {
    const one = read({ workflow: "w", "run-id": "spread-1", item: "3" });
    expect(one).toMatchObject({ ok: true, inputs: { "run-id": "spread-1-item-3" } });
    const all = read({ command: "publish", "run-id": "spread-1", items: "2" });
    expect(all).toMatchObject({ ok: true, inputs: { "run-id": "spread-1-item-1 spread-1-item-2" } });
  });

  test.each<[Readonly<Record<string, string>>, RegExp]>([
    [{ workflow: "w", item: "1" }, /an item needs `run-id`/],
    [{ workflow: "w", item: "1", "run-id": "x".repeat(55) }, /6 to 54 lowercase letters/],
    [{ workflow: "w", item: "10000", "run-id": "spread-1" }, /more than the 9999 items/],
    [{ workflow: "w", item: "0", "run-id": "spread-1" }, /not a whole number above 0/],
    [{ workflow: "w", items: "2", "run-id": "spread-1" }, /`items` is for `command: publish`/],
    [{ command: "publish", items: "10000", "run-id": "spread-1" }, /more than the 9999 items/],
    [{ command: "plan" }, /`command: plan` needs `workflow`/],
    [{ command: "plan", workflow: "w", list: "all" }, /`list: all` is not a list: use `packages`/],
    [{ command: "publish", item: "2", "run-id": "spread-1" }, /`item` is for jobs that run or resume/],
  ])("%j is refused with a sentence", (given, sentence) => {
    const found = read(given);
    expect(found.ok ? [] : found.faults).toContainEqual(expect.stringMatching(sentence));
  });
});
