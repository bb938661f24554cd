import { accessSync, constants } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { candidates } from "../agents/index.ts";
import { type AgentProbe, missingRequirements, probeAgents } from "../agents/select-agent.ts";
import { openIsolation } from "../processes/isolation.ts";
import { resourcesPhrase } from "../processes/resource-watch.ts";
import { outputOf } from "../processes/start-program.ts";
import { isolationPhrase } from "../render/isolation.ts";
import { count } from "../status/format.ts";
import { findRepository, whyNoRepository } from "../workspace/workspace.ts";
import { type ExitCode, exit } from "./exit.ts";
import { leastNode } from "./help.ts";

import { ourEnvironment } from "./model-keys.ts";
import type { CommonOptions } from "./options.ts";
import { printNotice, show } from "./print.ts";
import { probeWalls } from "./probe-walls.ts";
import { findLocation } from "./run-environment.ts";

interface Finding {
  readonly ok: boolean;
  readonly what: string;
  readonly says: string;
}

interface Row {
  readonly code: "FOUND" | "MISSING";
  readonly message: string;
  readonly [more: string]: unknown;
}

const rowOf = ({ ok, what, says }: Finding): Row => ({
  code: ok ? "FOUND" : "MISSING",
  message: `${what}: ${says}`,
});

function agentRow(probe: AgentProbe): Row {
  const { candidate, found, key, usable } = probe;
  const { name, portable, structured } = candidate;
  return {
    code: usable ? "FOUND" : "MISSING",
    message: `agent ${name}: ${usable ? "can run here" : missingRequirements(probe).join(", ")}`,
    agent: name,
    ...(found === undefined ? {} : { program: found.command }),
    ...(found?.version === undefined ? {} : { version: found.version }),
    ...(found?.isUntested === true ? { untried: true } : {}),
    ...(key === undefined ? {} : { key }),
    sessions_portable: portable,
    structured_results: true,
    structured_by: structured,
  };
}

function pageOf(findings: readonly Finding[], probes: readonly AgentProbe[]): string {
  // A run works without isolation, as it does without most of the agents.
  const signOf = ({ ok, what }: Finding) => (ok ? "✔" : what === "isolation" ? "–" : "✘");
  const lines = findings.map((one) => `${signOf(one)} ${one.what.padEnd(11)} ${one.says}`);
  const first = probes.find(({ usable }) => usable);
  const chosen =
    first === undefined
      ? "No agent can be chosen automatically: name one with --agent, or set a key."
      : `${first.candidate.name} is used if no agent is named.`;
  const titles = ["agent", "program", "version", "key", "sessions portable", "structured results"];
  return [...lines, "", ...inColumns([titles, ...probes.map(cellsOf)]), "", chosen].join("\n");
}

const cellsOf = ({ candidate, found, key, usable }: AgentProbe): readonly string[] => [
  `${usable ? "✔" : "–"} ${candidate.name}`,
  candidate.program === undefined ? "built in" : (found?.command ?? "not found"),
  `${found?.version ?? ""}${found?.isUntested === true ? ", untested" : ""}`,
  key ?? "none",
  candidate.portable ? "yes" : "no",
  `by ${candidate.structured}`,
];

function inColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** `until-green doctor`: lists what is installed, what is missing, and how to fix it. */
export async function doctorCommand(options: CommonOptions): Promise<ExitCode> {
  const cwd = resolve(options.cwd ?? ".");
  const found = await repository(cwd);
  const findings = [
    nodeFinding(),
    await program("bash", cwd),
    await program("git", cwd),
    found,
    await store(options, found),
  ];
  const opened = openIsolation({ mode: "auto", environment: process.env, writable: [cwd] });
  const walls = await opened.walls();
  const isolation = walls.map((wall) => ({ ok: wall.on, what: "isolation", says: isolationPhrase(wall) }));
  const resources = { what: "resources", ...(await resourcesPhrase(cwd)) };
  const probe = walls.some(({ on }) => on) ? [{ what: "isolation", ...(await probeWalls(opened, cwd)) }] : [];
  const resourcesRows = [...isolation, ...probe, resources];
  const probes = probeAgents(candidates, ourEnvironment());
  const rows = [...[...findings, ...resourcesRows].map(rowOf), ...probes.map(agentRow)];
  if (options.json) for (const row of rows) printNotice(row);
  else show(`${pageOf([...findings, ...resourcesRows], probes)}\n`);
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

/** The default hosts and environment for looking up programs. */
const usualPath = "/usr/bin:/bin";

async function program(name: string, cwd: string): Promise<Finding> {
  const path = (process.env["PATH"] ?? usualPath)
    .split(delimiter)
    .find((folder) => isExecutable(join(folder, name)));
  if (path === undefined)
    return { ok: false, what: name, says: `not found: install ${name} and put it on the PATH` };
  const version = await outputOf(name, ["--version"], { cwd });
  return { ok: true, what: name, says: version.split("\n")[0] ?? "" };
}

const isExecutable = (path: string) => allows(path, constants.X_OK);
const isWritable = (path = "") => allows(path, constants.W_OK);

function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

async function repository(cwd: string): Promise<Finding> {
  const local = await findRepository(cwd);
  const says = local === undefined ? await whyNoRepository(cwd) : local.top;
  return { ok: local !== undefined, what: "repository", says };
}

async function store(options: CommonOptions, { ok: hasRepository }: Finding): Promise<Finding> {
  if (!hasRepository && options.store === undefined)
    return {
      ok: false,
      what: "store",
      says: "runs are kept in the repository, or in a folder: --store dir:PATH",
    };
  try {
    const location = await findLocation(options);
    const runs = await location.store.list();
    if (options.store === undefined && !isWritable(location.gitDir))
      throw new Error(
        `${location.gitDir} cannot be written: give this user write permission, or choose another folder with --store dir:PATH`,
      );
    return { ok: true, what: "store", says: `${count(runs.length, "run")} kept` };
  } catch (error) {
    return { ok: false, what: "store", says: (error as Error).message };
  }
}
