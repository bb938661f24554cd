import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { PublishContext } from "../../../action/publish/publish-context.ts";
import { publishEnding } from "../../../action/publish/publish-result.ts";
import type { StepResult } from "../../../action/result/step-result.ts";
import type { SeriesFacts } from "../../../src/api/runs.ts";
import { gitWorkspace } from "../../../src/workspace/workspace.ts";
import { green, openWork, red } from "./work-on-host.ts";

const ending: StepResult = {
  conclusion: "success",
  stopReason: "until-bash",
  page: "The page.",
  annotations: [],
  summary: green,
};

/** A checkout in which a run has ended, and what becomes of it. */
async function open() {
  const opened = await openWork();
  const { host, base, job, settingOf, cwd } = opened;
  const { handle, prepare } = gitWorkspace({
    privateDir: () => join(`${cwd}-temp`, "until-green/runs", green.run, "workspace"),
  });
  const at = { runId: green.run, workspace: cwd, signal: new AbortController().signal };
  await prepare(at);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  };
  const snapshot = async () =>
    (await handle({ op: "snapshot", since: undefined, message: "an iteration" }, at)).commit;
  const publish = (
    end: StepResult = ending,
    more: Partial<Parameters<typeof publishEnding>[0]> & {
      readonly inputs?: Readonly<Record<string, string>>;
      readonly checked?: string | undefined;
      readonly base?: string | undefined;
    } = {},
  ) => {
    const { plan, ...setting } = settingOf(more.inputs);
    const context = { ...setting, cwd, job, base, ...("base" in more && { base: more.base }) };
    return publishEnding(
      {
        context: context as unknown as PublishContext,
        plan: () => plan,
        snapshots: {
          environment: { workspace: cwd, gitWorkspace: {} } as never,
          iterations: [],
          checked: more.checked,
        },
        notes: [],
        series: undefined,
        templates: {},
        ...more,
      },
      end,
    );
  };
  return { host, write, snapshot, publish };
}

test("what is in the checkout at the end is published, and the page and the outputs say where", async () => {
  const { host, write, snapshot, publish } = await open();
  write("state.txt", "green\n");
  const checked = await snapshot();
  write("cache.txt", "c\n");
  const result = await publish(ending, { checked });
  expect(result).toMatchObject({
    conclusion: "success",
    published: { branch: "work", pull: { number: 1 } },
    annotations: [{ level: "notice", message: "changed while the last check ran, or after it: cache.txt" }],
  });
  expect(result).not.toHaveProperty("keptAside");
  expect(result.page).toMatch(
    /^📬 Published to \[pull request #1\]\(.*\) \([0-9a-f]{12}\)\.\n\n> \[!NOTE\]\n> changed .*\n\nThe page\.$/,
  );
  expect(host.git.git("show", "work:cache.txt")).toBe("c");
  const aside = await publish({
    ...ending,
    conclusion: "failure",
    stopReason: "max-iterations",
    summary: red,
  });
  expect(aside).toMatchObject({ keptAside: true, conclusion: "failure" });
  expect(aside.page).toMatch(/^📭 Not published: \[pull request #1\]\(.*\) \(.*\) stays as it is\./);
});

test("what other processes of the run may have written after its check is left out", async () => {
  const { host, write, snapshot, publish } = await open();
  write("state.txt", "green\n");
  const checked = await snapshot();
  write("late.txt", "l\n");
  await publish({ ...ending, disturbed: true }, { checked });
  expect(host.git.git("diff", "--name-only", "main", "work")).toBe("state.txt");
});

test("a run without changes says so, as its job wants", async () => {
  const { host, publish } = await open();
  const message = "The run changed no files, so there is nothing to publish";
  expect(await publish()).toMatchObject({
    conclusion: "success",
    page: `> [!WARNING]\n> ${message}.\n\nThe page.`,
    annotations: [{ level: "warning", title: "until-green", message }],
  });
  expect(await publish(ending, { inputs: { "if-no-changes": "ignore" } })).toEqual(ending);
  expect(await publish(ending, { inputs: { "if-no-changes": "fail" } })).toMatchObject({
    conclusion: "failure",
    stopReason: "no-progress",
    page: `### ❌ ${message}\n\nThe page.`,
    annotations: [{ level: "error", message }],
  });
  expect(host.git.git("branch", "--list", "work")).toBe("");
});

test("work that is not asked for, or is worth nothing, is left alone", async () => {
  const { host, write, publish } = await open();
  write("state.txt", "red\n");
  const rejected = { ...ending, conclusion: "failure", stopReason: "rejected" } as const;
  expect(await publish(rejected)).toEqual(rejected);
  expect(await publish(ending, { plan: () => undefined })).toEqual(ending);
  const { summary: _, ...without } = ending;
  expect(await publish(without)).toEqual(without);
  const nothing = { ...ending, conclusion: "skipped", stopReason: "nothing-to-do" } as const;
  expect(await publish(nothing)).toEqual(nothing);
  expect(host.git.git("branch", "--list", "work")).toBe("");
});

test("a run that began with green work updates it, also if there was nothing to do", async () => {
  const { host, write, publish } = await open();
  write("state.txt", "green\n");
  const earlier = Array.from({ length: 17 }, (_, at) => `${at + 1}. an old note\n`).join("");
  const series = { from: "0".repeat(40), notes: `${earlier}18. try again\n`, conflicts: [] };
  const nothing = { ...ending, conclusion: "skipped", stopReason: "nothing-to-do" } as const;
  const notes = ["try again", "a  new\nnote", "another", "one too many"];
  const result = await publish(nothing, { series: series as unknown as SeriesFacts, notes });
  expect(result.published).toMatchObject({ branch: "work" });
  const { body } = await host.as("octocat", "GET /pulls/1");
  expect(body).toMatch(
    /- 17\. an old note\n- 18\. try again\n- 19\. a new note \(agent\)\n- 20\. another \(agent\)\n\n/,
  );
});

test("work that cannot be published makes the job red, and keeps why the run was", async () => {
  const { write, publish } = await open();
  write("CLAUDE.md", "evil\n");
  const message = "the work was not published: only files that may not be published have changed (CLAUDE.md)";
  expect(await publish()).toMatchObject({
    conclusion: "failure",
    stopReason: "internal",
    page: `### ❌ ${message}\n\nThe page.`,
    annotations: [{ level: "error", title: "until-green", message }],
  });
  const failed = { ...ending, conclusion: "failure", stopReason: "max-iterations" } as const;
  expect(await publish(failed)).toMatchObject({ conclusion: "failure", stopReason: "max-iterations" });
  expect((await publish(ending, { base: undefined })).annotations[0]?.message).toMatch(
    /nothing to publish from: check the repository out/,
  );
});

test("an expired `push-token` is named, with the command that publishes the work later", async () => {
  const { host, write, snapshot, publish } = await open();
  write("state.txt", "green\n");
  const kept = { ...ending, stateRef: "refs/until-green/x/state" };
  await publish(kept, { checked: await snapshot() });
  host.git.fault = () => "deny";
  write("state.txt", "greener\n");
  const { conclusion, annotations } = await publish(kept, { checked: await snapshot() });
  expect(conclusion).toBe("failure");
  expect(annotations).toEqual([
    expect.objectContaining({
      message: expect.stringMatching(
        /^the work was not published: \S+ no longer accepts `push-token` \(.*\): it has expired or was revoked\. .*To publish it later, run `command: publish` with `run-id: /,
      ),
    }),
  ]);
}, 60_000);
