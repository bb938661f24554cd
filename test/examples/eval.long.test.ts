import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execPath } from "node:process";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { runProcess } from "../../src/processes/process.ts";
import { temporaryFolder } from "../workspace/playground.ts";

const examples = join(import.meta.dirname, "../../examples/eval");
const { tasks } = parse(readFileSync(join(examples, "tasks.yml"), "utf8")) as {
  tasks: { name: string; folder: string }[];
};

describe("the tasks of examples/eval", () => {
  test("are all in the list", () => {
    expect(tasks.map(({ name }) => name)).toEqual(readdirSync(join(examples, "tasks")));
    expect(tasks.length).toBeGreaterThanOrEqual(20);
  });

  test.each(tasks)("$name fails at first, and passes when it is solved", async ({ name, folder }) => {
    const cwd = temporaryFolder();
    const { signal } = new AbortController();
    const check = () =>
      runProcess({ command: execPath, args: ["--test"], cwd, env: {}, timeoutMs: 20_000, signal });
    cpSync(join(examples, folder), cwd, { recursive: true });
    expect(await check()).toMatchObject({ how: "exited", exitCode: 1 });
    cpSync(join(examples, "tasks", name, "solved"), cwd, { recursive: true });
    expect(await check()).toMatchObject({ how: "exited", exitCode: 0 });
  });
});
