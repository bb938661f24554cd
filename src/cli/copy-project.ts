import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git } from "../git/git.ts";

/** Copies a project to a new temporary folder, as a repository with one commit; returns the folder. */
export async function copyProject(project: string, { name, message }: { name: string; message: string }) {
  const cwd = mkdtempSync(join(tmpdir(), `until-green-${name}-`));
  cpSync(project, cwd, { recursive: true });
  await git({ cwd, args: ["init", "--quiet", "--initial-branch=main"] });
  await git({ cwd, args: ["add", "--all"] });
  await git({ cwd, args: ["commit", "--quiet", "--message", message] });
  return cwd;
}
