import { cpSync, existsSync, globSync, lstatSync, realpathSync, symlinkSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { z } from "zod";
import { makeOwnFolder, makeOwnFolders } from "../processes/make-folder.ts";
import { isThere } from "../processes/path-kind.ts";
import { readRegularBytes, readRegularFile } from "../processes/regular-file.ts";
import { replaceFile } from "../processes/replace-file.ts";
import type { SessionPlace, Sessions } from "./cli/cli-definition.ts";
import { slugOf } from "./cli/session-files.ts";
import { homeOf, loginFiles, toolsVariables } from "./gemini-paths.ts";

export interface HomeSettings {
  /** Its name for the login method. */
  readonly auth: string;
  /** The path of the user's own login. */
  readonly credentials: string | undefined;
  readonly hasTools: boolean;
  readonly trusts: boolean;
}

/** Creates that folder, or updates its settings. Parallel calls have the same settings. */
export function makeHome(artifacts: string, { auth, credentials, hasTools, trusts }: HomeSettings): void {
  const folder = makeOwnFolders(artifacts, join(relative(artifacts, homeOf(artifacts)), ".gemini"));
  const file = join(folder, "settings.json");
  // A call without tools must not remove the server of a parallel call; it allows no tools for itself instead.
  const mcpServers = hasTools ? { "until-green": ourServer } : serversIn(file);
  replaceFile(
    file,
    JSON.stringify({
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      // A few retries keep the conversation. After that, the run waits and calls again.
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 3 },
      security: { auth: { selectedType: auth } },
      // A checkout's `.env` is for its own programs.
      advanced: { ignoreLocalEnv: !trusts },
      mcpServers,
    }),
    0o600,
  );
  for (const name of loginFiles) {
    const own = credentials === undefined ? undefined : join(credentials, name);
    if (own !== undefined && existsSync(own) && !isThere(join(folder, name)))
      symlinkSync(own, join(folder, name));
  }
}

/** The program can write this file too. */
function serversIn(file: string): unknown {
  try {
    return (JSON.parse(readRegularFile(file) ?? "") as { mcpServers?: unknown }).mcpServers ?? {};
  } catch {
    return {};
  }
}

const ourServer = {
  httpUrl: `$${toolsVariables.url}`,
  headers: { Authorization: `Bearer $${toolsVariables.key}` },
  trust: true,
};

/** It stores a conversation in a folder named after the checkout, in a file named after the start of its id. */
export const geminiSessions: Sessions = {
  travel: true,
  keep({ id, folder, artifacts }) {
    const files = filesOf(artifacts, id);
    for (const file of files) cpSync(file, join(folder, basename(file)));
    return files.length > 0;
  },
  isHere: ({ artifacts, id }) => filesOf(artifacts, id).length > 0,
  bring(session) {
    const kept = existsSync(session.folder) ? globSync(patternOf(session.id), { cwd: session.folder }) : [];
    const chats = makeOwnFolder(join(projectFolder(session), "chats"));
    for (const file of kept) {
      if (lstatSync(join(session.folder, file)).isFile())
        cpSync(join(session.folder, file), join(chats, file));
    }
    return globSync(patternOf(session.id), { cwd: chats }).length > 0;
  },
};

const patternOf = (id: string) => `session-*-${id.slice(0, 8)}.jsonl`;

const filesOf = (artifacts: string, id: string) =>
  globSync(join(homeOf(artifacts), ".gemini", "tmp", "*", "chats", patternOf(id))).filter(
    (file) => readRegularBytes(file, homeOf(artifacts))?.subarray(0, 4096).includes(id) === true,
  );

const registry = z.object({ projects: z.record(z.string(), z.string()) });

/** Programs of the run can write this file: an invalid one is replaced. */
function projectsIn(file: string): Readonly<Record<string, string>> {
  try {
    const { projects } = registry.parse(JSON.parse(readRegularFile(file) ?? ""));
    // A project name is a folder name.
    return Object.fromEntries(Object.entries(projects).filter(([, name]) => /^[a-z0-9-]+$/.test(name)));
  } catch {
    return {};
  }
}

/** The folder for this checkout, registered if it is new. */
function projectFolder({ workspace, artifacts }: SessionPlace): string {
  const folder = makeOwnFolders(artifacts, join(relative(artifacts, homeOf(artifacts)), ".gemini"));
  const file = join(folder, "projects.json");
  const root = realpathSync(workspace);
  const projects = projectsIn(file);
  const name = projects[root] ?? freeName(basename(root), new Set(Object.values(projects)));
  if (projects[root] === undefined) {
    for (const place of ["tmp", "history"])
      replaceFile(join(makeOwnFolders(folder, join(place, name)), ".project_root"), root, 0o600);
    replaceFile(file, JSON.stringify({ projects: { ...projects, [root]: name } }), 0o600);
  }
  return makeOwnFolders(folder, join("tmp", name));
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const plain = slugOf(wanted) || "project";
  for (let number = 0; ; number += 1) {
    const name = number === 0 ? plain : `${plain}-${number}`;
    if (!taken.has(name)) return name;
  }
}
