import type { Dirent } from "node:fs";
import { glob } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { agentEnvironment } from "../../processes/environment.ts";
import { type ProcessEnd, runProcess } from "../../processes/process.ts";
import { placeInside } from "../workspace-file.ts";
import type { Workshop } from "./work-tool.ts";

/*
 * Accesses workspace files through the agent's own commands, inside its isolation. In our own process, a background
 * command could replace a path between check and use, and hidden credentials would be readable.
 */

/** A file's bytes. Throws a sentence for the model. */
export async function readWhole(name: string, workshop: Workshop): Promise<Buffer> {
  const file = await placeInside(workshop.context.workspace, name);
  const end = await inShell(reading, { file, name, workshop });
  return Buffer.from(end.stdout, "base64");
}

/** Writes or replaces a file, and creates its folders. Throws a sentence for the model. */
export async function writeWhole(name: string, content: Buffer, workshop: Workshop): Promise<void> {
  const file = await placeInside(workshop.context.workspace, name);
  await inShell(writing, { file, name, workshop, content });
}

/** The names in a folder; folders end with a slash. Throws a sentence for the model. */
export async function namesIn(name: string, workshop: Workshop): Promise<readonly string[]> {
  const file = await placeInside(workshop.context.workspace, name);
  const { stdout } = await inShell(listing, { file, name, workshop });
  return stdout.split("\n").filter(Boolean);
}

/** The files whose path matches a pattern; none outside the workspace, not even by a symbolic link. */
export async function filesMatching(
  pattern: string,
  { context, signal }: Workshop,
): Promise<readonly string[]> {
  if (isAbsolute(pattern) || upwards.test(pattern)) throw new Error(`${pattern} leaves the workspace`);
  const inside = new Map<string, Promise<boolean>>();
  const isInside = (folder: string) =>
    placeInside(context.workspace, folder).then(
      () => true,
      () => false,
    );
  const paths: string[] = [];
  const exclude = (entry: Dirent) => entry.name === ".git" || entry.name === "node_modules";
  for await (const entry of glob(pattern, { cwd: context.workspace, exclude, withFileTypes: true })) {
    signal.throwIfAborted();
    if (entry.isDirectory()) continue;
    const path = relative(context.workspace, join(entry.parentPath, entry.name));
    const folder = dirname(path);
    const known = inside.get(folder) ?? isInside(folder);
    inside.set(folder, known);
    if (await known) paths.push(path);
    if (paths.length > mostFound) break;
  }
  return paths.sort();
}

/** Maximum number of matches. */
const mostFound = 5_000;
const upwards = /(?:^|[/{,(|])\.\.(?:[/},)|]|$)/;

const mostBytes = 32 * 1024 * 1024;
/** Base64 is a third larger, with its line breaks. */
const mostKept = 48 * 1024 * 1024;

const plain = `[ ! -e "$1" ] && { echo 'there is no such file' >&2; exit 1; }; [ -d "$1" ] && { echo 'it is a folder' >&2; exit 1; }`;
const reading = `${plain}
[ -f "$1" ] || { echo 'it is no regular file' >&2; exit 1; }
[ "$(wc -c < "$1")" -le ${mostBytes} ] || { echo 'it is larger than 32 MiB: look at parts of it with bash' >&2; exit 1; }
exec base64 < "$1"`;
const writing = `[ ! -e "$1" ] || [ -f "$1" ] || { echo 'it is no regular file' >&2; exit 1; }
mkdir -p "$(dirname "$1")" && exec cat > "$1"`;
const listing = `[ -d "$1" ] || { echo 'it is no folder' >&2; exit 1; }; exec ls -1Ap -- "$1"`;

interface FileCommand {
  readonly file: string;
  readonly name: string;
  readonly workshop: Workshop;
  readonly content?: Buffer;
}

async function inShell(script: string, { file, name, workshop, content }: FileCommand): Promise<ProcessEnd> {
  const { context, environment, signal } = workshop;
  const end = await runProcess({
    command: "/bin/sh",
    args: ["-c", script, "sh", file],
    cwd: context.workspace,
    env: agentEnvironment(environment, context.env),
    stdin: content ?? "",
    keepBytes: mostKept,
    // If the file has just been replaced by a pipe, reading it would block.
    timeoutMs: 60_000,
    signal,
    wrap: context.wrap,
  });
  if (end.how === "aborted") throw signal.reason;
  if (end.exitCode === 0) return end;
  const why = end.fault?.message ?? (end.stderr.trim() || end.how);
  throw new Error(`${name}: ${why.replaceAll(`${file}`, name)}`);
}
