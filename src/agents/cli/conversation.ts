import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import {
  type AgentContext,
  type AgentRequest,
  sessionsFolder,
  type Usage,
  usage,
} from "../../ports/agent.ts";
import { childEnvironment, type Environment } from "../../processes/environment.ts";
import { makeFolder } from "../../processes/make-folder.ts";
import { runProcess } from "../../processes/process.ts";
import { readRegularFile } from "../../processes/regular-file.ts";
import { replaceFile } from "../../processes/replace-file.ts";
import type { CliDefinition, SessionPlace } from "./cli-definition.ts";
import { homeOf } from "./config-folder.ts";
import { digest, shortened } from "./conversation-summary.ts";
import type { FoundProgram } from "./program.ts";

/** A conversation with an agent, continued from call to call and from machine to machine. */
export interface Conversation {
  readonly id: string;
  /** True if the program should know it. */
  readonly isContinued: boolean;
  /** Its messages as text, if the program cannot continue it. */
  readonly before: string;
  /** True if it should be continued but cannot be. */
  readonly isLost: boolean;
  /** True if it continues an interrupted turn. */
  readonly isCutOff: boolean;
  /** The usage of earlier calls, as the program counts it. */
  readonly totals: Usage | undefined;
  /** Records the messages, and saves the program's session files; returns a notice if that fails. */
  keep(call: {
    readonly id: string;
    readonly answered: string;
    readonly totals: Usage | undefined;
  }): Promise<string | undefined>;
}

export interface Opening {
  readonly cli: CliDefinition;
  readonly request: AgentRequest;
  readonly context: AgentContext;
  readonly environment: Environment;
  readonly program: FoundProgram;
  /** True if the program reported that it does not know the conversation. */
  readonly isUnknown?: boolean;
  /** A summary of the turn that filled the model's context; a new conversation starts with it. */
  readonly overflowed?: { readonly text: string; readonly steps: readonly string[] };
}

/** Opens the conversation a request names, or a new one. */
export async function openConversation(opening: Opening): Promise<Conversation> {
  const { cli, request, overflowed } = opening;
  const isUnknown = opening.isUnknown === true || overflowed !== undefined;
  const { known, saved } = recordOf(opening);
  const isContinued =
    known !== undefined && !isUnknown && (await cli.sessions.bring(placeOf(opening, known)));
  const before = [
    ...(saved?.turns ?? []),
    ...(overflowed === undefined
      ? []
      : [
          {
            asked: shortened(request.prompt),
            answered: shortened(overflowed.text),
            steps: overflowed.steps,
          },
        ]),
  ];
  const isLost = (request.session !== undefined || overflowed !== undefined) && !isContinued;
  return {
    id: isContinued ? known : randomUUID(),
    isContinued,
    isLost,
    isCutOff: false,
    before: isLost ? digest(before) : "",
    totals: isContinued ? saved?.totals : undefined,
    keep: keepTurns(opening, saved),
  };
}

/** Opens the conversation of a turn that was cut off on this machine; `undefined` if the program does not know it. */
export async function continueTurn(
  opening: Opening,
  { session, totals }: { readonly session: string; readonly totals?: Usage | undefined },
): Promise<Conversation | undefined> {
  if (!safeId.test(session) || !(await opening.cli.sessions.isHere(placeOf(opening, session))))
    return undefined;
  const keep = keepTurns(opening, recordOf(opening).saved);
  return { id: session, isContinued: true, isLost: false, isCutOff: true, before: "", totals, keep };
}

/** The record of the conversation that a request names. */
function recordOf(opening: Opening) {
  const { session } = opening.request;
  const known = session !== undefined && safeId.test(session) ? session : undefined;
  const saved = known === undefined ? undefined : readTurns(join(folderOf(opening), known, turnsFile));
  return { known, saved };
}

const keepTurns =
  (opening: Opening, saved: SavedTurns | undefined): Conversation["keep"] =>
  async ({ id, answered, totals }) => {
    const { cli, request } = opening;
    if (!safeId.test(id)) return `${cli.name} used a conversation id that is not a valid file name`;
    const turns = [
      ...(saved?.turns ?? []),
      { asked: shortened(request.prompt), answered: shortened(answered) },
    ];
    const session = placeOf(opening, id);
    return await keepIn(cli, session, { turns: turns.slice(-mostTurns), ...(totals && { totals }) });
  };

const folderOf = ({ context, cli }: Opening) => join(context.artifacts, sessionsFolder, cli.name);

const placeOf = (opening: Opening, id: string): SessionPlace => {
  const { cli, context, environment, program } = opening;
  const { workspace, artifacts } = context;
  return {
    id,
    folder: join(folderOf(opening), id, "files"),
    workspace,
    artifacts,
    environment,
    home: homeOf(cli, environment),
    async run(args, env) {
      const { how, exitCode } = await runProcess({
        command: program.command,
        args,
        cwd: workspace,
        env: { ...childEnvironment(environment, {}), ...env },
        timeoutMs: longestRunMs,
        signal: context.signal,
        reap: "always",
        wrap: context.wrap,
        writable: context.wrap && makeState(cli.state?.(environment) ?? []),
      });
      return how === "exited" && exitCode === 0;
    },
  };
};

const longestRunMs = 120_000;

/** A folder must exist before the isolation is set up: it cannot be created inside. */
export function makeState(paths: readonly string[]): readonly string[] {
  for (const path of paths) {
    if (!existsSync(path)) makeFolder(path, 0o700);
  }
  return paths;
}

/** Ids come from programs and logs, and are used as folder names here. */
const safeId = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;
const turnsFile = "turns.json";
const mostTurns = 50;
const mostBytes = 32 * 1024 * 1024;

const turnsSchema = z.object({
  turns: z.array(z.object({ asked: z.string(), answered: z.string() })),
  totals: usage.exactOptional(),
});

type SavedTurns = z.infer<typeof turnsSchema>;

async function keepIn(
  cli: CliDefinition,
  session: SessionPlace,
  saved: SavedTurns,
): Promise<string | undefined> {
  const home = join(session.folder, "..");
  const fresh = `${session.folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  makeFolder(fresh, 0o700);
  const isThere = await cli.sessions.keep({ ...session, folder: fresh });
  const bytes = sizeOf(fresh);
  const fits = isThere && bytes <= mostBytes;
  rmSync(session.folder, { recursive: true, force: true });
  if (fits) renameSync(fresh, session.folder);
  else rmSync(fresh, { recursive: true, force: true });
  replaceFile(join(home, turnsFile), JSON.stringify(saved), 0o600);
  if (fits) return undefined;
  const why = isThere ? `its files take ${Math.round(bytes / 1024 / 1024)} MiB` : "it kept no file";
  return `${cli.name}'s conversation ${session.id} cannot be moved to another machine: ${why}; there it continues from a digest`;
}

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

function readTurns(file: string): SavedTurns | undefined {
  try {
    const text = readRegularFile(file);
    return text === undefined ? undefined : turnsSchema.parse(JSON.parse(text));
  } catch {
    return undefined; // torn by a kill: the conversation continues without it
  }
}
