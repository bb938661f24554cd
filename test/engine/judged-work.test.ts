import { describe, expect, test } from "vitest";
import { AgentError } from "../../src/ports/agent.ts";
import type { WorkspaceRequest } from "../../src/ports/workspace.ts";
import { type Props, type Stage, stage } from "../parts/stage.ts";
import { after, before, green, loop, red, shell } from "./checks.ts";

interface Judged {
  readonly it: Stage;
  readonly asked: readonly WorkspaceRequest[];
}

/** A run whose worker changes files in each turn, and whose judge does so on request. */
async function played(source: string, judge: NonNullable<Props["agent"]>, writes = false): Promise<Judged> {
  const asked: WorkspaceRequest[] = [];
  let files = 0;
  const it = stage(source, {
    shell: shell([red(before), { ...green(after), tail: "all is well" }]),
    agent(request, ...rest) {
      const isJudge = request.role === "judge";
      if (!isJudge || writes) files += 1;
      return isJudge ? judge(request, ...rest) : "did it";
    },
    workspace(request) {
      asked.push(request);
      if (request.op === "diff") return { patch: "+fixed" };
      return request.op === "snapshot" ? { commit: `c${files}`, tree: `t${files}` } : {};
    },
  });
  await it.begin();
  return { it, asked };
}

const notices = (it: Stage) => it.of("notice").map(({ code, path, message }) => `${code} ${path} ${message}`);
const tested = (it: Stage) =>
  it.of("stop.tested").map(({ path, kind, verdict, because }) => `${path} ${kind} ${verdict}: ${because}`);

const cleanOff = "baseline: true, clean: off";
const critic = loop("until_agent: critic\n      until_mode: all", cleanOff);
const yes = () => '{"done": true, "reason": "fine"}';
const seen = [
  { op: "diff", from: "c0", to: "c1", most: 60_000 },
  { op: "snapshot", since: "c1", message: "after a judge" },
];
const fromStart = ({ asked }: Judged) =>
  asked.slice(asked.findIndex((request) => request.op === "diff" && request.most === 60_000));

describe("a judge", () => {
  test("is shown the changes since the loop began, and the checkout is compared after it", async () => {
    const judged = await played(critic, yes);
    expect(fromStart(judged)).toEqual(seen);
    expect(notices(judged.it)).toEqual([]);
    expect(tested(judged.it).slice(1)).toEqual([
      "/fix#1?1 until-bash done: exit 0",
      "/fix#1?2 judge done: the judge says it is done: fine",
    ]);
  });

  test("has its own changes undone, with a notice", async () => {
    const judged = await played(critic, yes, true);
    expect(fromStart(judged)).toEqual([...seen, { op: "restore", commit: "c1" }]);
    expect(notices(judged.it)).toEqual([
      "JUDGE_CHANGED_FILES /fix#1?2 the judge changed files; they were restored",
    ]);
  });
});

describe("a reviewer", () => {
  const reviewed = loop("review: true", cleanOff);
  const says = (honest: boolean) => () => `{"honest": ${honest}, "reason": "because"}`;

  test("that agrees ends the loop, whose reason stays its check", async () => {
    const judged = await played(reviewed, says(true));
    expect(fromStart(judged)).toEqual(seen);
    expect(tested(judged.it).slice(1)).toEqual([
      "/fix#1?1 until-bash done: exit 0",
      "/fix#1!review judge done: the reviewer finds the work honest: because",
    ]);
    expect(judged.it.end()).toMatchObject({ conclusion: "success", stop_reason: "until-bash" });
  });

  test("that changed files has them restored", async () => {
    const judged = await played(reviewed, says(true), true);
    expect(fromStart(judged)).toEqual([...seen, { op: "restore", commit: "c1" }]);
    expect(notices(judged.it)).toEqual([
      "JUDGE_CHANGED_FILES /fix#1!review the judge changed files; they were restored",
    ]);
  });

  test("that disagrees sends the work back with its reason, to the last iteration", async () => {
    const source = reviewed.replace('"fix it"', '"fix it [$LOOP_CHECK_OUTPUT]"');
    const { it } = await played(source, says(false));
    const no = "the reviewer does not find the work honest: because";
    expect(it.prompts.filter(({ role }) => role === "worker").map(({ prompt }) => prompt)).toEqual([
      "fix it [exit 1\n]",
      ...[2, 3, 4].map(() => `fix it [${no}]`),
    ]);
    expect(it.end()).toMatchObject({
      conclusion: "failure",
      stop_reason: "max-iterations",
      because: `fix was not done after 4 iterations: the check passed; ${no}`,
    });
  });

  test("that cannot be asked does not agree", async () => {
    const { it } = await played(reviewed, () => new AgentError("auth", "no key"));
    expect(tested(it)[2]).toBe("/fix#1!review judge go-on: the reviewer could not be asked: no key");
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "max-iterations" });
  });

  test("is not asked once the budget is used up: the loop ends", async () => {
    const source = reviewed.replace("nodes:", "budget: { usd: 1 }\nnodes:");
    const usage = { input_tokens: 1, output_tokens: 0, cost_usd: 2 };
    const it = stage(source, {
      shell: shell([red(before), green(after)]),
      agent: () => ({ text: "did it", usage }),
      workspace: ({ op }) => (op === "snapshot" ? { commit: "c", tree: "t" } : {}),
    });
    await it.begin();
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "budget" });
    expect(it.prompts.map(({ role }) => role)).toEqual(["worker"]);
  });
});

describe("without a repository", () => {
  test("a judge is shown no changes, and nothing is restored", async () => {
    const it = stage(critic, {
      shell: shell([red(before), { ...green(after), tail: "all is well" }]),
      agent: ({ role }) => (role === "judge" ? yes() : "did it"),
    });
    await it.begin();
    const prompt = it.prompts.find(({ role }) => role === "judge")?.prompt;
    expect(prompt).toContain("all is well");
    expect(prompt).not.toContain("<changes>");
    expect(it.end()).toMatchObject({ conclusion: "success" });
  });
});
