import picomatch from "picomatch";
import { tools } from "../../checks/tools/index.ts";
import type { Tool } from "../../checks/tools/tool.ts";
import { UsageError } from "../exit.ts";
import type { Folder, Project } from "./folder.ts";
import type { Job } from "./jobs.ts";

/** The project with the check of the job: its tests, or the first check of the job's list that it has. */
export function projectFor(job: Job | undefined, project: Project, folder: Folder): Project {
  if (job === undefined) return project;
  // Without a list, the check is the project's tests, and what else the job needs.
  if (job.checks.length === 1) return { ...project, check: withManager(job.check, project) };
  const check = job.checks.find((one) => isIn(one, { project, folder }));
  if (check !== undefined) return { ...project, check: withManager(check, project) };
  const known = job.checks.map((one) => `\`${one}\``).join(", ");
  throw new UsageError(
    `this project has none of the checks that ${job.name} knows (${known}): give its own with --check`,
  );
}

/** The same check by the package manager of the project, which also finds programs of its environment. */
function withManager(check: string, project: Project): string {
  const own = check.replace(/(?<=^|&& )npm test$/, () => project.check);
  if (own === project.check) return own;
  if (own.startsWith("npm run "))
    return /^(?:pnpm|yarn|bun)$/.test(project.tool) ? own.replace("npm", project.tool) : own;
  return `${/^(?:uv|poetry|pdm|pipenv) run /.exec(project.check)?.[0] ?? ""}${own}`;
}

interface Place {
  readonly project: Project;
  readonly folder: Folder;
}

/** Whether a project has the script, the target or the configured tool that a command starts. */
function isIn(command: string, { project, folder }: Place): boolean {
  const [, script] = /^npm run ([\w:-]+)/.exec(command) ?? [];
  if (script !== undefined) return scriptsOf(folder.read("package.json")).includes(script);
  const [, target] = /^make ([\w-]+)/.exec(command) ?? [];
  if (target !== undefined) return new RegExp(`^${target}\\s*:`, "m").test(folder.read("Makefile"));
  const [program = ""] = command.replace(/^npx (?:--yes )?/, "").split(" ");
  const called = tools.filter((tool) => tool.called?.test(command));
  return project.tool.split(" ").includes(program) || called.some((tool) => isConfigured(tool, folder));
}

function scriptsOf(manifest: string): readonly string[] {
  try {
    return Object.keys((JSON.parse(manifest) as { scripts?: object }).scripts ?? {});
  } catch {
    return [];
  }
}

/** A file of the tool's own is there, or its part of `pyproject.toml`. */
function isConfigured({ config = [], parts = [] }: Tool, folder: Folder): boolean {
  const isOwn = picomatch([...config], { dot: true });
  const sections = parts.flatMap((part) => (part.kind === "toml" ? part.keys : []));
  const settings = folder.read("pyproject.toml");
  return folder.names().some((name) => isOwn(name)) || sections.some((key) => settings.includes(`[${key}`));
}
