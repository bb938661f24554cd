import { dirname, relative, resolve, sep } from "node:path";
import type { AgentContext } from "../../ports/agent.ts";
import { headAndTailOf } from "../../processes/bounded-output.ts";
import { agentEnvironment, type Environment } from "../../processes/environment.ts";
import { gitEnvironment } from "../../processes/git-environment.ts";
import { runProcess } from "../../processes/process.ts";
import { readInside } from "../workspace-file.ts";

/** Where instructions are read from: files of the workspace, or git in the agent's environment. */
export interface RulesPlace {
  readonly context: Pick<AgentContext, "workspace" | "env" | "signal" | "wrap">;
  readonly environment: Environment;
}

const [mostAtTop, mostBelow] = [32 * 1024, 8 * 1024];

/** The instructions for agents at the top of the repository; empty if there are none. */
export const rulesAtTop = (place: RulesPlace): Promise<string> => rulesOf("", place);

/**
 * Instructions of folders below the top, each returned once: those on the path to a file that the agent reads or
 * changes, the nearest last. They are part of a tool's result, so the system prompt stays unchanged and cached.
 */
export function openRulesBelow(place: RulesPlace): (path: string) => Promise<string> {
  const seen = new Set<string>();
  return async (path) => {
    const folders = foldersTo(path, place.context.workspace).filter((folder) => !seen.has(folder));
    for (const folder of folders) seen.add(folder);
    const rules = await Promise.all(folders.map((folder) => rulesOf(folder, place)));
    return rules.filter((text) => text !== "").join("\n");
  };
}

/** The folders on the path to a file, without the top: for `a/b/c.ts`, `a/` and `a/b/`. */
function foldersTo(path: string, workspace: string): readonly string[] {
  const names = relative(workspace, dirname(resolve(workspace, path))).split(sep);
  if (names[0] === "" || names[0] === "..") return [];
  return names.map((_, index) => `${names.slice(0, index + 1).join("/")}/`);
}

/** The first of these files in a folder, formatted for the model. */
async function rulesOf(folder: string, place: RulesPlace): Promise<string> {
  for (const name of ["AGENTS.md", "CLAUDE.md"]) {
    const text = (await textOf(`${folder}${name}`, place)).trim();
    if (text === "") continue;
    const scope = folder === "" ? "" : ` for="files in ${folder}; nearer instructions win"`;
    const shown = headAndTailOf(text, folder === "" ? mostAtTop : mostBelow);
    return `<repository-instructions file="${folder}${name}"${scope}>\n${shown}\n</repository-instructions>`;
  }
  return "";
}

/**
 * For a pull request, the version of the base branch is used if git has it: a pull request's own version must not
 * instruct.
 */
async function textOf(file: string, { context, environment }: RulesPlace): Promise<string> {
  const { GITHUB_EVENT_NAME: event = "", GITHUB_BASE_REF: base = "" } = environment;
  const isTrusted = !event.startsWith("pull_request") || environment["UNTIL_GREEN_TRUST_CHECKOUT"] === "1";
  if (!isTrusted) return git({ context, environment }, ["show", `refs/remotes/origin/${base}:${file}`]);
  try {
    return await readInside(context.workspace, file);
  } catch {
    return "";
  }
}

/** The output of git; empty if it fails. */
export async function git({ context, environment }: RulesPlace, args: readonly string[]): Promise<string> {
  const { exitCode, stdout } = await runProcess({
    command: "git",
    args: ["-c", "safe.directory=*", ...args],
    cwd: context.workspace,
    env: { ...agentEnvironment(environment, context.env), ...gitEnvironment(context.workspace) },
    timeoutMs: 10_000,
    signal: context.signal,
    // An agent may have left a nested repository, whose settings `git status` would follow.
    wrap: context.wrap,
  });
  return exitCode === 0 ? stdout : "";
}
