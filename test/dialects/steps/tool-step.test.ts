import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { planOf } from "../native/files.ts";

/** What the program of a step says, in a folder with the file `a.txt` and a link that leads out. */
function called(tool: string, inputs: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "tool-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cwd = join(folder, "checkout");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "a.txt"), "one\r\n");
  writeFileSync(join(folder, "secret"), "hunter2");
  symlinkSync(join(folder, "secret"), join(cwd, "link"));
  const plan = planOf(`name: w\nsteps:\n  - ${JSON.stringify({ id: "a", tool, toolInput: inputs })}\n`);
  const [node] = plan.body.nodes;
  if (node?.kind !== "script" || !("inline" in node.source)) throw new Error("no script");
  const env = Object.fromEntries(Object.entries(node.env ?? {}).map(([name, text]) => [name, text.join("")]));
  const source = node.source.inline.join("");
  const options = {
    cwd,
    env: { PATH: process.env["PATH"], ...env },
    encoding: "utf8",
    stdio: "pipe",
  } as const;
  return { cwd, said: () => execFileSync(process.execPath, ["-e", source], options) };
}

test("read says what is in a file", () => {
  expect(called("read", { path: "a.txt" }).said()).toBe("one\r\n");
});

test.each(["../secret", "link", "/etc/passwd"])("read does not leave the checkout by %s", (path) => {
  expect(called("read", { path }).said).toThrow("outside the checkout");
});

test("write makes the folders of a file, and does not leave the checkout", () => {
  const { cwd, said: output } = called("write", { path: "b/c.txt", content: "two $$HOME" });
  expect(output()).toBe("ok\n");
  expect(readFileSync(join(cwd, "b/c.txt"), "utf8")).toBe("two $$HOME");
  expect(called("write", { path: "../x/y", content: "" }).said).toThrow("outside the checkout");
});

test("bash reports a command's output and exit code", () => {
  expect(called("bash", { command: "echo out; echo err >&2; exit 3" }).said()).toBe(
    "out\nerr\nexit status 3",
  );
});

test("an input names what a step gave", () => {
  const plan = planOf(
    "name: w\nsteps:\n  - { id: f-g }\n  - { id: a, dependsOn: [f-g], tool: read, toolInput: { path: '$steps[\"f-g\"].content' } }\n",
  );
  expect(plan.body.nodes[1]).toMatchObject({ env: { INPUTS_PATH: [{ ref: "output", node: "f-g" }] } });
});
