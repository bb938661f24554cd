import { expect, onTestFinished, test, vi } from "vitest";
import { openRunnerLog, type RunnerLog } from "../../../action/job/workflow-commands.ts";
import { openJob } from "../../parts/composite/job.ts";
import { readLog } from "../../parts/composite/log-commands.ts";

/** What a runner makes of all that is written while this works. */
async function outputOf(work: (log: RunnerLog, write: (text: string) => void) => unknown) {
  const written = await printed((log) => work(log, (text) => void process.stdout.write(text)));
  const job = openJob({ temp: "", workspace: "", github: {}, runner: {}, machine: {}, stubs: {} });
  const reader = readLog(job);
  for (const line of written.split("\n").slice(0, -1)) reader.line(line);
  return { job, outputs: reader.outputs };
}

/** All that is written to standard output while this works. */
async function printed(work: (log: RunnerLog) => unknown): Promise<string> {
  let written = "";
  const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    written += text;
    return true;
  });
  onTestFinished(() => spy.mockRestore());
  await work(openRunnerLog());
  spy.mockRestore();
  return written;
}

const hostile = ["::error::owned", " ::set-output name=a::b", "x ##[error]owned", "::stop-commands::x"];

test("messages are printed, and the runner obeys none of them", async () => {
  const { job, outputs } = await outputOf((log) => log.say(hostile.join("\n")));
  expect(job.annotations).toEqual([]);
  expect(outputs).toEqual({});
  expect(job.log).toHaveLength(hostile.length);
});

test("an annotation arrives as it was, line breaks, commas and colons included", async () => {
  const annotation = {
    level: "error",
    message: "50%, a: b\n::error::c",
    title: "A, B: C%0A",
    file: "a,b:c.yml",
  } as const;
  const { job } = await outputOf((log) => log.annotate({ ...annotation, line: 3, column: 9 }));
  expect(job.annotations).toEqual([{ ...annotation, line: "3", col: "9" }]);
});

test("a secret is hidden, each of its lines too", async () => {
  const { job } = await outputOf((log) => {
    log.mask("first%\nsecond");
    log.say("a first% b\na second b");
  });
  expect(job.log).toEqual(["a *** b", "a *** b"]);
});

test("work is undisturbed by what others print past us, and commands count again after it", async () => {
  const { job } = await outputOf(async (log, write) => {
    const answer = await log.undisturbed(async () => {
      for (const line of hostile) write(`${line}\n`);
      write("::error::without an end of its line");
      return 7;
    });
    log.annotate({ level: "notice", message: `it answered ${answer}` });
  });
  expect(job.annotations).toEqual([{ level: "notice", message: "it answered 7" }]);
});

test("work that fails leaves the log as it should be", async () => {
  const { job } = await outputOf(async (log) => {
    await log.undisturbed(() => Promise.reject(new Error("no"))).catch(() => undefined);
    log.annotate({ level: "error", message: "it failed" });
  });
  expect(job.annotations).toEqual([{ level: "error", message: "it failed" }]);
});

test("annotations made while commands are stopped appear when they resume", async () => {
  const text = await printed((log) =>
    log.undisturbed(async () => log.annotate({ level: "notice", message: "late" })),
  );
  expect(text).toMatch(/^::stop-commands::(\S+)\n\n::\1::\n::notice::late\n$/);
});
