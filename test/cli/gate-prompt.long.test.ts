import { spawn } from "node:child_process";
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
function openTerminal(agent: string) {
  const folder = openFolder();
  folder.write({ "w.yml": loopFile(keys, "interactive: true\n") });
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

test("text at a gate on a terminal is feedback for the next iteration, Enter continues, and reject ends", async () => {
  const { ended, until, type, rest } = openTerminal("command:tail -n 1");
  await until(question);
  type("use two files\r");
  expect(await until("iteration 2 of 4: ")).toContain("approved");
  expect(await until(question)).toContain("> heard: use two files");
  type("\r");
  await until("iteration 3 of 4: ");
  await until(question);
  type("reject not like this\r");
  expect(await ended).toBe(1);
  expect(rest()).toContain("rejected");
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
  expect(rest().match(/.*until-green resume.*/g)).toEqual([
    expect.stringMatching(/^resume: (npx )?until-green resume asked-0000aaaa/),
  ]);
});
