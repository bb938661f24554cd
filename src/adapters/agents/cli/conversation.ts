import { randomUUID } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import {
  type AgentContext,
  type AgentRequest,
  sessionsFolder,
  type Usage,
  usage,
} from "../../../ports/agent.ts";
import type { Environment } from "../../environment.ts";
import type { Cli, SessionPlace } from "./cli.ts";
import { digest, shortened } from "./digest.ts";
import type { FoundProgram } from "./program.ts";

/** A conversation with an agent, as it is carried from call to call and from machine to machine. */
export interface Conversation {
  readonly id: string;
  /** Whether the CLI should know it. */
  readonly goesOn: boolean;
  /** What was said in it, where the CLI cannot go on with it. */
  readonly before: string;
  /** It was to go on and cannot. */
  readonly isLost: boolean;
  /** What the calls before took, as the CLI counts. */
  readonly totals: Usage | undefined;
  /** Puts on record what was said, and keeps what the CLI needs to go on; a notice where that will not do. */
  keep(call: {
    readonly id: string;
    readonly answered: string;
    readonly totals: Usage | undefined;
  }): Promise<string | undefined>;
}

export interface Opening {
  readonly cli: Cli;
  readonly request: AgentRequest;
  readonly context: AgentContext;
  readonly environment: Environment;
  readonly program: FoundProgram;
  /** The CLI said that it does not know the conversation. */
  readonly isUnknown?: boolean;
}

/** Opens the conversation a request names, or a new one. */
export async function openConversation(opening: Opening): Promise<Conversation> {
  const { cli, request, context, isUnknown = false } = opening;
  const given = request.session !== undefined && safeId.test(request.session) ? request.session : undefined;
  const folder = join(context.artifacts, sessionsFolder, cli.name);
  const said = given === undefined ? undefined : readSaid(join(folder, given, saidFile));
  const goesOn =
    given !== undefined && !isUnknown && (await cli.sessions.bring(placeOf(opening, { folder, id: given })));
  const isLost = request.session !== undefined && !goesOn;
  return {
    id: goesOn ? given : randomUUID(),
    goesOn,
    isLost,
    before: isLost ? digest(said?.turns ?? []) : "",
    totals: goesOn ? said?.totals : undefined,
    keep: async ({ id, answered, totals }) => {
      if (!safeId.test(id)) return `${cli.name} gave its conversation an id that cannot be a file's name`;
      const turns = [
        ...(said?.turns ?? []),
        { asked: shortened(request.prompt), answered: shortened(answered) },
      ];
      const place = placeOf(opening, { folder, id });
      return await keepIn(cli, place, { turns: turns.slice(-mostTurns), ...(totals && { totals }) });
    },
  };
}

const placeOf = (
  { context, environment, program }: Opening,
  { folder, id }: { readonly folder: string; readonly id: string },
): SessionPlace => {
  const { workspace, artifacts } = context;
  return {
    id,
    folder: join(folder, id, "files"),
    workspace,
    artifacts,
    program: program.command,
    environment,
  };
};

/** Ids come from programs and logs, and name folders here. */
const safeId = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;
const saidFile = "said.json";
const mostTurns = 50;
const mostBytes = 32 * 1024 * 1024;

const saidSchema = z.object({
  turns: z.array(z.object({ asked: z.string(), answered: z.string() })),
  totals: usage.exactOptional(),
});

type Said = z.infer<typeof saidSchema>;

async function keepIn(cli: Cli, place: SessionPlace, said: Said): Promise<string | undefined> {
  const home = join(place.folder, "..");
  const fresh = `${place.folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true, mode: 0o700 });
  const isThere = await cli.sessions.keep({ ...place, folder: fresh });
  const bytes = sizeOf(fresh);
  const fits = isThere && bytes <= mostBytes;
  rmSync(place.folder, { recursive: true, force: true });
  if (fits) renameSync(fresh, place.folder);
  else rmSync(fresh, { recursive: true, force: true });
  writeFileSync(join(home, saidFile), JSON.stringify(said), { mode: 0o600 });
  if (fits) return undefined;
  const why = isThere ? `its files take ${Math.round(bytes / 1024 / 1024)} MiB` : "it left no file of it";
  return `${cli.name}'s conversation ${place.id} cannot go along to another machine: ${why}; there it goes on from a digest`;
}

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

function readSaid(file: string): Said | undefined {
  try {
    return existsSync(file) ? saidSchema.parse(JSON.parse(readFileSync(file, "utf8"))) : undefined;
  } catch {
    return undefined; // torn by a kill: the conversation goes on without it
  }
}
