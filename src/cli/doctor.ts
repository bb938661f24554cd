import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { findRepository } from "../adapters/workspace.ts";
import { type ExitCode, exit } from "./exit.ts";
import type { CommonOptions } from "./options.ts";
import { findPlace } from "./world.ts";

interface Finding {
  readonly ok: boolean;
  readonly what: string;
  readonly says: string;
}

const leastNode = 22;

/** `until-green doctor`: what is here, what is missing, and what to do about it. */
export async function doctorCommand(options: CommonOptions): Promise<ExitCode> {
  const cwd = resolve(options.cwd ?? ".");
  const findings = [
    nodeFinding(),
    await program("bash", cwd),
    await program("git", cwd),
    await repository(cwd),
    await store(options),
  ];
  for (const [index, { ok, what, says }] of findings.entries()) {
    if (options.json) {
      const told = { type: "notice", code: ok ? "FOUND" : "MISSING", message: `${what}: ${says}` };
      process.stdout.write(
        `${JSON.stringify({ v: 1, seq: index + 1, at: new Date().toISOString(), run: "", ...told })}\n`,
      );
    } else {
      process.stdout.write(`${ok ? "✔" : "✘"} ${what.padEnd(11)} ${says}\n`);
    }
  }
  return findings.every(({ ok }) => ok) ? exit.ok : exit.failed;
}

function nodeFinding(): Finding {
  const ok = Number(process.versions.node.split(".")[0]) >= leastNode;
  return {
    ok,
    what: "node",
    says: ok ? process.version : `${process.version}; ${leastNode} or newer is needed`,
  };
}

async function program(name: string, cwd: string): Promise<Finding> {
  const path = (process.env["PATH"] ?? "")
    .split(delimiter)
    .find((folder) => isExecutable(join(folder, name)));
  if (path === undefined)
    return { ok: false, what: name, says: `not found: install ${name} and put it on the PATH` };
  const { stdout } = await promisify(execFile)(name, ["--version"], { cwd });
  return { ok: true, what: name, says: stdout.split("\n")[0] ?? "" };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function repository(cwd: string): Promise<Finding> {
  const found = await findRepository(cwd);
  const says = found === undefined ? `${cwd} is not in one: run \`git init\`` : found.top;
  return { ok: found !== undefined, what: "repository", says };
}

async function store(options: CommonOptions): Promise<Finding> {
  try {
    const place = await findPlace(options);
    const runs = await place.store.list();
    return { ok: true, what: "store", says: `${runs.length} runs kept` };
  } catch (error) {
    return { ok: false, what: "store", says: (error as Error).message };
  }
}
