import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { builtCommandLine } from "../parts/built.ts";
import { loopFile, openFolder } from "../parts/terminal.ts";

const program = builtCommandLine();
const run = ["run", "w.yml", "--run-id", "asked-0000aaaa"];
const question = "Ctrl-D decides later";

const keys = `
  prompt: "heard: $LOOP_USER_INPUT"
  interactive: true
  gate_message: Well?
  until_bash: test -e done
  max_iterations: 4`;

/** The command line on a terminal of its own, in a folder with an interactive loop whose prompt is what people said. */
function openTerminal(agent: string, file = loopFile(keys, "interactive: true\n")) {
  const folder = openFolder();
  folder.write({ "w.yml": file });
  const args = [process.execPath, program, ...run, "--agent", agent];
  const terminal = spawn("python3", ["-c", onTerminal, ...args], {
    cwd: folder.path,
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void terminal.kill());
  const ended = new Promise<number | null>((done) => terminal.on("close", done));
  let seen = "";
  let look = () => {};
  terminal.stdout.setEncoding("utf8").on("data", (text) => {
    seen += text;
    look();
  });
  return {
    folder,
    ended,
    /** Waits for a text after all that was seen before, and answers all up to there. */
    until: (text: string) =>
      new Promise<string>((done) => {
        look = () => {
          const at = seen.indexOf(text);
          if (at === -1) return;
          const before = seen.slice(0, at + text.length);
          seen = seen.slice(before.length);
          look = () => {};
          done(before);
        };
        look();
      }),
    type: (keys: string) => terminal.stdin.write(keys),
    rest: () => seen,
  };
}

const onTerminal = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";

test("feedback at a gate on a terminal is for the next iteration, approve continues, and reject ends", async () => {
  const { ended, until, type, rest } = openTerminal("command:tail -n 1");
  expect(await until(question)).toContain("[f]eedback TEXT for the next iteration");
  type("F use two files\r");
  expect(await until("iteration 2 of 4: ")).toContain("approved");
  expect(await until(question)).toContain("> heard: use two files");
  type("A\r");
  await until("iteration 3 of 4: ");
  await until(question);
  type("Reject not like this\r");
  expect(await ended).toBe(1);
  expect(rest()).toContain("rejected");
});

const deploy = `name: t
interactive: true
nodes:
  - { id: ask, approval: { message: Deploy to production? } }
  - { id: deploy, depends_on: [ask], bash: touch deployed }
`;

test("only the listed answers decide at a gate on a terminal: others are asked again, and nothing is approved", async () => {
  const { folder, ended, until, type, rest } = openTerminal("command:true", deploy);
  expect(await until(question)).not.toContain("iteration");
  for (const typed of [
    "no",
    "n",
    "stop",
    "rejct, too risky",
    "yes",
    "a lot is missing",
    "f later",
    "",
    "  ",
  ]) {
    type(`${typed}\r`);
    const again = await until(question);
    expect(again, typed).toContain(
      typed.trim() === ""
        ? "nothing was typed: type a, r or c"
        : `"${typed}" is not an answer: type a, r or c`,
    );
  }
  type("r not on a Friday\r");
  expect(await ended).toBe(1);
  expect(rest()).toMatch(/rejected by .*: not on a Friday/);
  expect(existsSync(join(folder.path, "deployed"))).toBe(false);
});

test.each([
  ["a", 0, true],
  ["aPPROVE it is Monday", 0, true],
  ["c", 4, false],
  ["Cancel: no", undefined, false],
  ["cancel not now", 4, false],
] as const)("%s at a gate on a terminal means what it says", async (typed, code, deploys) => {
  const { folder, ended, until, type } = openTerminal("command:true", deploy);
  await until(question);
  type(`${typed}\r`);
  if (code === undefined) {
    expect(await until(question)).toContain("is not an answer");
    type("\u0004");
  }
  expect(await ended).toBe(code ?? 3);
  expect(existsSync(join(folder.path, "deployed"))).toBe(deploys);
});

test("of several gates, each question on a terminal is for the oldest that is open", async () => {
  const two =
    "name: t\ninteractive: true\nnodes:\n  - { id: a, approval: { message: one } }\n  - { id: b, approval: { message: two } }\n";
  const { folder, ended, until, type } = openTerminal("command:true", two);
  await until(question);
  type("a first\r");
  expect(await until(question)).toContain("is not an answer");
  type("approve the first\r");
  expect(await until(question)).toContain("approved");
  type("reject the second\r");
  expect(await ended).toBe(1);
  const { stdout } = await folder.run("status");
  expect(stdout).toMatch(/approved at a by .*: the first\n.*rejected at b by .*: the second/);
});

test("Ctrl-D at the question leaves the run waiting, with the commands that answer it later", async () => {
  const { folder, ended, until, type, rest } = openTerminal("command:echo did it");
  expect(await until(question)).toContain("until-green approve asked-0000aaaa");
  type("\u0004");
  expect(await ended).toBe(3);
  expect(rest()).toMatch(/\n$/);
  const result = await folder.run("tell", "asked-0000aaaa", "fix", "mind the tests");
  expect(result).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("gets the message with its next prompt"),
  });
  expect((await folder.run("reject")).code).toBe(1);
});

test("Ctrl-C pauses the run and says once how to resume it", async () => {
  const { ended, until, type, rest } = openTerminal("command:sleep 60");
  await until("iteration 1 of 4");
  type("\u0003");
  expect(await ended).toBe(3);
  expect(rest()).toContain("t paused: interrupted; resume it to continue");
  expect(rest().match(/.*until-green resume.*/g)).toEqual([
    expect.stringMatching(/^resume: (npx )?until-green resume asked-0000aaaa/),
  ]);
});
