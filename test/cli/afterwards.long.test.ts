import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { loopFile, openFolder } from "../parts/terminal.ts";

const counting = loopFile("prompt: go\nuntil_bash: cat n; test $(cat n) = 3\nmax_iterations: 5");
const agent = "command:echo $((UNTIL_GREEN_ITERATION)) > n; echo set it to $UNTIL_GREEN_ITERATION";

async function ran(id = "count-0000aaaa") {
  const folder = openFolder();
  folder.write({ "w.yml": counting, n: "0\n" });
  expect((await folder.run("run", "w.yml", "--agent", agent, "--run-id", id)).code).toBe(0);
  return folder;
}

test("logs shows what the agent said and the check printed in one iteration, by the start or the end of the run's id", async () => {
  const folder = await ran();
  const { code, stdout } = await folder.run("logs", "count-0", "--iteration", "2");
  expect(code).toBe(0);
  expect(stdout.split("\n")).toEqual([
    "fix · iteration 2 of 5 · command",
    "  set it to 2",
    "fix · iteration 2 of 5 · check",
    "  │ 2",
    expect.stringMatching(/^fix · iteration 2 of 5: ❌ check failed \(exit 1\) · 1 file \+1 −1/),
    "  changed: n",
    "",
  ]);
  expect((await folder.run("logs", "0000aaaa", "--iteration", "2")).stdout).toBe(stdout);
  const whole = await folder.run("logs", "--follow");
  expect(whole.stdout).toContain("iteration 3 of 5: ✅ check passed");
});

test("diff shows what a run, an iteration or several changed", async () => {
  const folder = await ran();
  const changed = (stdout: string) => stdout.match(/^[-+]\d+$/gm);
  expect(changed((await folder.run("diff")).stdout)).toEqual(["-0", "+3"]);
  expect(changed((await folder.run("diff", "count-0000aaaa", "2")).stdout)).toEqual(["-1", "+2"]);
  expect(changed((await folder.run("diff", "count-0000aaaa", "1", "3")).stdout)).toEqual(["-1", "+3"]);
  const refused = await folder.run("diff", "count-0000aaaa", "9");
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("has no iteration 9; it has 1 to 3"),
  });
});

test("restore restores the files of an iteration, and says how to undo that", async () => {
  const folder = await ran();
  const n = () => readFileSync(join(folder.path, "n"), "utf8");
  const { code, stderr } = await folder.run("restore", "count-0000aaaa", "1");
  expect({ code, n: n() }).toEqual({ code: 0, n: "1\n" });
  expect(stderr).toContain(
    "restored the files as they were after iteration 1 of count-0000aaaa; undo with: until-green restore ",
  );
  const undo = /restore (\S+) ([0-9a-f]{40})/.exec(stderr);
  expect((await folder.run("restore", undo?.[1] ?? "", undo?.[2] ?? "")).code).toBe(0);
  expect(n()).toBe("3\n");
  expect(await folder.run("restore", "count-0", "two")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      "the number of an iteration, as in until-green restore count-0000aaaa 1\n",
    ),
  });
});

test("restore 0 takes a run back to before its first iteration", async () => {
  const folder = openFolder();
  folder.write({
    "w.yml": loopFile("prompt: go\nuntil_bash: test $(cat n) = 2\nmax_iterations: 3"),
    n: "0\n",
  });
  await folder.run(
    "run",
    "w.yml",
    "--agent",
    "command:echo $UNTIL_GREEN_ITERATION > n; touch new",
    "--run-id",
    "back-0000aaaa",
  );
  const { code, stderr } = await folder.run("restore", "0");
  expect({
    code,
    n: readFileSync(join(folder.path, "n"), "utf8"),
    isNew: existsSync(join(folder.path, "new")),
  }).toEqual({
    code: 0,
    n: "0\n",
    isNew: false,
  });
  expect(stderr).toContain(
    "as they were before iteration 1 of back-0000aaaa; undo with: until-green restore back-0000aaaa ",
  );
});

test("restore does not change a checkout in which its run is working", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": counting, n: "0\n" });
  const slow = `${agent}; test $UNTIL_GREEN_ITERATION = 1 || { touch at-work; sleep 60; }`;
  const { process, ended } = folder.start("run", "w.yml", "--agent", slow, "--run-id", "busy-0000aaaa");
  await vi.waitUntil(() => existsSync(join(folder.path, "at-work")), { timeout: 60_000 });
  const { code, stderr } = await folder.run("restore", "busy-0000aaaa", "1");
  expect([code, stderr]).toEqual([5, expect.stringMatching(/run busy-0000aaaa is driven by process \d+ on/)]);
  expect(readFileSync(join(folder.path, "n"), "utf8")).toBe("2\n");
  process.kill("SIGTERM");
  await ended;
});

test("diff shows the attempt that was kept or any other, and restore takes another one", async () => {
  const folder = openFolder();
  const tried = loopFile("prompt: go\nuntil_bash: test $(cat n) = 3\nmax_iterations: 1\nattempts: 3");
  folder.write({ "w.yml": tried, n: "0\n" });
  const agent = "command:case $PWD in *fix-2-*) echo 3 > n ;; *) echo 1 > n ;; esac";
  const { code, stderr } = await folder.run("run", "w.yml", "--agent", agent, "--run-id", "tried-0000aaaa");
  expect({ code, n: readFileSync(join(folder.path, "n"), "utf8") }).toEqual({ code: 0, n: "3\n" });
  expect(stderr).toContain("fix · attempt 3 of 3: ❌ the iteration limit was reached · 1 file +1 −1");
  expect(stderr).toContain("kept attempt 2 of 3: green, 2 changed lines");
  expect((await folder.run("diff")).stdout).toContain("+3");
  expect((await folder.run("diff", "tried", "1")).stdout).toContain("+1");
  const { code: refused, stderr: why } = await folder.run("diff", "--node", "fxi");
  expect({ refused, why }).toEqual({
    refused: 2,
    why: "until-green: tried-0000aaaa has no loop fxi with a snapshot; did you mean fix?\n",
  });
  expect((await folder.run("restore", "tried", "1")).code).toBe(0);
  expect(readFileSync(join(folder.path, "n"), "utf8")).toBe("1\n");
});

const gate = "name: t\ninteractive: true\nnodes:\n  - { id: a, approval: { message: one } }\n";

test("an answer needs no id where only one run waits, and names the runs where several do", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": gate });
  for (const id of ["first-0000aaaa", "second-0000aaaa"]) await folder.run("run", "w.yml", "--run-id", id);
  const unclear = await folder.run("approve", "looks good");
  expect(unclear).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/2 runs wait for an answer; name one: \S+-0000aaaa, \S+-0000aaaa/),
  });
  expect((await folder.run("approve", "first-0000aaaa", "fine")).code).toBe(0);
  expect((await folder.run("reject", "not", "good")).stderr).toContain("rejected");
  expect((await folder.run("status", "second-0")).stdout).toContain("❌");
  expect(await folder.run("approve")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no run waits"),
  });
});

test("an answer to a run that is gone, or to a mistyped one, does not decide the one that waits", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": gate });
  for (const id of ["gone-run", "other-one"]) await folder.run("run", "w.yml", "--run-id", id);
  rmSync(join(folder.path, ".git/until-green/runs/gone-run/log.jsonl"));
  // Gone, mistyped, never seen, as it is copied from a text, the start of an id, and a word that might be one.
  const others = ["gone-run", "other-won", "Nightly-2,", "release42", "other-o", "well-done"];
  const lines = [
    ...["approve", "reject", "cancel", "feedback"].map((answer) => [answer, "nightly-2"] as const),
    ...others.map((id) => ["approve", id] as const),
  ];
  for (const [answer, id] of lines)
    expect(await folder.run(answer, id, "go"), `${answer} ${id}`).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        new RegExp(
          `there is no run ${id.replace(",", "").toLowerCase()} here: until-green list .*: until-green ${answer} other-one\\n$`,
        ),
      ),
    });
  expect((await folder.run("status", "other-one")).stdout).toContain("Waiting for you");
  expect((await folder.run("approve", "other-one", "well-done")).code).toBe(0);
});

test("a command line answers in the words of a gate's question, and feedback needs a text and a next iteration", async () => {
  const folder = openFolder();
  folder.write({
    "w.yml": gate,
    "l.yml": loopFile(
      "prompt: 'heard: $LOOP_USER_INPUT'\nuntil_bash: test -e done\nmax_iterations: 3\ninteractive: true\ngate_message: Well?",
      "interactive: true\n",
    ),
  });
  await folder.run("run", "w.yml", "--run-id", "node-gate");
  expect(await folder.run("f", "node-gate", "more")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("/a has no next iteration for feedback: approve or reject it"),
  });
  expect(await folder.run("no", "node-gate")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unknown command"),
  });
  expect((await folder.run("R", "node-gate", "too", "risky")).code).toBe(1);
  await folder.run("run", "l.yml", "--agent", "command:tail -n 1", "--run-id", "loop-gate");
  expect(await folder.run("feedback", "loop-gate")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("feedback needs a text"),
  });
  expect((await folder.run("Feedback", "loop-gate", "use", "maps")).stderr).toContain("> heard: use maps");
  expect((await folder.run("c")).code).toBe(4);
});

test.each(["too clever", "please stop"])(
  "a reason is not taken for an id where no run waits: %s",
  async (reason) => {
    const { code, stderr } = await openFolder().run("reject", ...reason.split(" "));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `until-green: no run waits for an answer, and no run is named "${reason.split(" ")[0]}": until-green list shows all runs\n`,
    });
  },
);

test("where a run is red, the terminal shows the failing tests by name and the check's last lines", async () => {
  const folder = openFolder();
  folder.write({
    "check.sh":
      "printf 'line %s\\n' $(seq 30); echo 'FAILED tests/test_a.py::test_b - no'; echo '1 failed in 0.1s'; exit 1",
    "w.yml": loopFile("prompt: go\nuntil_bash: bash check.sh\nmax_iterations: 1"),
  });
  const { code, stderr } = await folder.run(
    "run",
    "w.yml",
    "--agent",
    "command:echo did",
    "--run-id",
    "red-0000aaaa",
  );
  expect(code).toBe(1);
  const closing = stderr.slice(stderr.indexOf("❌ t failed"));
  expect(closing).toContain("❌ 1 test failing (exit 1)\n  ✘ tests/test_a.py::test_b: no\n");
  expect(closing).toContain("last lines of the check:\n  │ line 13\n");
  expect((await folder.run("report")).stdout).toContain("<summary>Last lines of the check</summary>");
});

test("the HTML report has each iteration's message, changes and check; JUnit its iterations and tests", async () => {
  const folder = await ran();
  const { stdout } = await folder.run("report", "--format", "html");
  expect(stdout).toContain("<blockquote><p>set it to 2</p></blockquote>");
  expect(stdout).toContain('<span class="del">-1</span><span class="add">+2</span>');
  expect(stdout).not.toContain("<script");
  folder.write({
    "check.sh": "echo 'FAILED tests/test_a.py::test_<b> - no'; echo '1 failed in 0.1s'; exit 1",
    "red.yml": loopFile("prompt: go\nuntil_bash: bash check.sh\nmax_iterations: 1"),
  });
  await folder.run("run", "red.yml", "--agent", "command:echo did", "--run-id", "red-0000aaaa");
  const { stdout: xml } = await folder.run("report", "red-0", "--format", "junit");
  expect(xml).toContain('<testsuites name="t" tests="3" failures="3"');
  expect(xml).toContain('<testsuite name="t · fix" tests="1"');
  expect(xml).toContain('name="tests/test_a.py::test_&lt;b&gt;"');
});

test("a run whose time is up says so, and one that got a signal says that it was interrupted", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": loopFile("prompt: go\nuntil_bash: test -e done\nmax_iterations: 1") });
  const args = ["run", "w.yml", "--agent", "command:touch begun; sleep 60", "--run-id"];
  const late = await folder.run(...args, "late-0000aaaa", "--max-minutes", "0.02");
  expect(late).toMatchObject({ code: 3, stderr: expect.stringContaining("paused: out of time; resume it") });
  rmSync(join(folder.path, "begun"), { force: true });
  const { process: program, ended } = folder.start(...args, "stopped-0000aaaa");
  await vi.waitFor(() => expect(existsSync(join(folder.path, "begun"))).toBe(true), { timeout: 20_000 });
  program.kill("SIGINT");
  expect(await ended).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("paused: interrupted; resume it"),
  });
  expect((await folder.run("status", "late")).stdout).toContain("paused: out of time;");
  expect((await folder.run("status", "stopped")).stdout).toContain("paused: interrupted;");
});

test("every decision is shown with who, when and their words: in status, logs and both reports", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": `${gate}  - { id: b, depends_on: [a], approval: { message: two } }\n` });
  const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d UTC`;
  for (const [id, last, end] of [
    ["held-back", "reject", "rejected at b"],
    ["called-off", "cancel", "cancelled"],
  ] as const) {
    await folder.run("run", "w.yml", "--run-id", id);
    await folder.run("approve", id, "fine,", "but", "<b>slowly</b>");
    await folder.run(last, id, "not on a Friday");
    const of = async (...args: string[]) => (await folder.run(...args)).stdout;
    const pages = {
      status: await of("status", id),
      markdown: await of("report", id),
      html: await of("report", id, "--format", "html"),
    };
    for (const [page, text] of Object.entries(pages)) {
      expect(text, page).toMatch(new RegExp(`${time}: approved at a by .*: fine, but .*slowly`));
      expect(text, page).toMatch(new RegExp(`${time}: ${end} by .*: not on a Friday`));
      expect(text.includes("<b>slowly"), page).toBe(page === "status");
    }
    const logs = await of("logs", id);
    expect(logs).toMatch(new RegExp(`approved by .*, ${time}: fine, but`));
    expect(logs).toMatch(
      last === "reject"
        ? new RegExp(`rejected by .*, ${time}: not on a Friday`)
        : new RegExp(`cancelled by .*: not on a Friday, ${time}`),
    );
  }
});
