import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type GitHubHost, openGitHubHost } from "../../test/parts/github-host/host.ts";
import type { Picture } from "./draw.ts";
import { runJob, type Shown, say, shownOn } from "./jobs.ts";
import { projectFiles } from "./project.ts";

/** A picture by its name: it is written to `NAME.png`. */
export type Scene = Omit<Picture, "file"> & { readonly name: string };

/** Runs the demo's project in jobs and in a terminal, with scripted agents, and returns what people see. */
export async function scenes(folder: string): Promise<readonly Scene[]> {
  const files = projectFiles();
  const host = await openGitHubHost({ users: { ada: "write" }, files });
  try {
    const { number } = await pullOn(host);
    const waiting = await untilSecondGate(host, { folder, number });
    const green = await approve(
      host,
      folder,
      "The last one: a quote inside a quoted cell has to be doubled.",
    );
    const summary = await runJob({
      host,
      folder,
      inputs: { workflow: "fix-tests", "run-id": "fix-tests-5b7d9f10", agent: "scripted:session.yml" },
    });
    const report = await reportOf(folder, files);
    return [
      { name: "comment-waiting", markdown: waiting.comment, frame: commentFrame },
      { name: "comment-waiting-dark", markdown: waiting.comment, frame: commentFrame, dark: true },
      { name: "comment-waiting-phone", markdown: waiting.comment, frame: commentFrame, width: phone },
      { name: "comment-green", markdown: green.comment, frame: commentFrame },
      { name: "comment-green-dark", markdown: green.comment, frame: commentFrame, dark: true },
      { name: "comment-green-phone", markdown: green.comment, frame: commentFrame, width: phone },
      checkScene("check-waiting", waiting),
      { ...checkScene("check-waiting-dark", waiting), dark: true },
      { ...checkScene("check-waiting-phone", waiting), width: phone },
      { name: "summary", markdown: summary, frame: { head: "loop summary" } },
      { name: "summary-dark", markdown: summary, frame: { head: "loop summary" }, dark: true },
      { name: "summary-phone", markdown: summary, frame: { head: "loop summary" }, width: phone },
      { name: "report", html: report },
      { name: "report-dark", html: report, dark: true },
    ];
  } finally {
    await host.close();
  }
}

/** The width of a phone, in pixels. */
const phone = 390;
const run = "fix-with-me-0a1b2c3d";
/** GitHub shows comments in 14 pixels. */
const commentFrame = { head: "github-actions bot", fontSize: 14 };

interface Begin {
  readonly folder: string;
  readonly number: number;
}

/** The interactive run after two iterations: a person answered the first gate, and it waits at the second. */
async function untilSecondGate(host: GitHubHost, { folder, number }: Begin): Promise<Shown> {
  const pull = await host.as("octocat", `GET /pulls/${number}`);
  await runJob({
    host,
    folder,
    inputs: { workflow: "fix-with-me", "run-id": run, agent: "scripted:together.yml" },
    event: { name: "pull_request", payload: { action: "opened", pull_request: pull } },
  });
  return await approve(host, folder, "Yes. Next the due dates and the VAT on exports.");
}

async function approve(host: GitHubHost, folder: string, feedback: string): Promise<Shown> {
  const event = await say(host, "ada", `/workflow approve ${run}\n${feedback}`);
  await runJob({ host, folder, inputs: { command: "comment" }, event });
  return await shownOn(host);
}

async function pullOn(host: GitHubHost): Promise<{ readonly number: number }> {
  host.git.git("branch", "topic", host.git.git("commit-tree", "main^{tree}", "-p", "main", "-m", "Topic"));
  return await host.as("octocat", "POST /pulls", { title: "Invoices", head: "topic", base: "main" });
}

function checkScene(name: string, { check, buttons }: Shown): Scene {
  return { name, markdown: check.output.summary ?? "", frame: { head: check.output.title ?? "", buttons } };
}

/** The report of the same loop, as `until-green report` writes it. */
async function reportOf(folder: string, files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = join(folder, "terminal");
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
  const call = promisify(execFile);
  await call("git", ["init", "--quiet"], { cwd });
  await call("git", ["add", "--all"], { cwd });
  await call("git", ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "Begin"], { cwd });
  const cli = [process.execPath, join(process.cwd(), "src/cli/main.ts")] as const;
  const id = ["--run-id", "fix-tests-5b7d9f10"];
  await call(cli[0], [cli[1], "run", "fix-tests", ...id, "--agent", "scripted:session.yml"], { cwd });
  await call(cli[0], [cli[1], "report", "fix-tests-5b7d9f10", "--format", "html", "--out", "r.html"], {
    cwd,
  });
  return readFileSync(join(cwd, "r.html"), "utf8");
}
