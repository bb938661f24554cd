import { existsSync, lstatSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../processes/environment.ts";
import type { SessionPlace, Sessions } from "./cli/cli-definition.ts";
import { dataFolder } from "./opencode-home.ts";

/**
 * A conversation is transferred in the format of `opencode export`, which binds it to the checkout it is imported in;
 * a copy of the database would work in the old one. It is read directly from the database, because a start of
 * opencode takes seconds.
 */
export const opencodeSessions: Sessions = {
  travel: true,
  async keep({ id, folder, environment }) {
    const exported = await exportSession(databaseOf(environment), id);
    if (exported === undefined) return false;
    writeFileSync(join(folder, fileName), JSON.stringify(exported), { mode: 0o600 });
    return true;
  },
  isHere: isKnown,
  async bring(session) {
    const file = join(session.folder, fileName);
    const known = await isKnown(session);
    if (known || !lstatSync(file, { throwIfNoEntry: false })?.isFile()) return known;
    // If the import fails, the conversation continues from the digest.
    return await session.run(["import", file], quiet);
  },
};

const fileName = "session.json";
const quiet = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_PROJECT_CONFIG: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
};

const databaseOf = (environment: Environment) => join(dataFolder(environment), "opencode.db");

type Row = Readonly<Record<string, unknown>>;

/** Reads rows; none if there is no database, or if its schema is unknown. */
async function query(database: string, sql: string, id: string): Promise<readonly Row[]> {
  if (!existsSync(database)) return [];
  try {
    const { DatabaseSync } = await import("node:sqlite");
    const opened = new DatabaseSync(database, { readOnly: true });
    try {
      return opened.prepare(sql).all(id) as Row[];
    } finally {
      opened.close();
    }
  } catch {
    return [];
  }
}

/**
 * True if it is in the database and belongs to this checkout: opencode works in the folder in which a session
 * started.
 */
async function isKnown({ id, workspace, environment }: SessionPlace): Promise<boolean> {
  const [row] = await query(databaseOf(environment), "select directory from session where id = ?", id);
  return row?.["directory"] === workspace;
}

async function exportSession(database: string, id: string) {
  const [session] = await query(database, "select * from session where id = ?", id);
  if (session === undefined) return undefined;
  const messages = await query(
    database,
    "select id, data from message where session_id = ? order by time_created, id",
    id,
  );
  const parts = await query(
    database,
    "select id, message_id, data from part where session_id = ? order by id",
    id,
  );
  return {
    info: infoOf(session),
    messages: messages.map((message) => ({
      info: { ...parsed(message["data"]), id: message["id"], sessionID: id },
      parts: parts
        .filter((part) => part["message_id"] === message["id"])
        .map((part) => ({
          ...parsed(part["data"]),
          id: part["id"],
          sessionID: id,
          messageID: message["id"],
        })),
    })),
  };
}

function infoOf(session: Row) {
  const taken = ["id", "slug", "directory", "path", "title", "agent", "version", "cost"];
  const plain = Object.fromEntries(taken.map((name) => [name, session[name] ?? undefined]));
  return {
    ...plain,
    projectID: session["project_id"],
    ...(session["model"] == null ? {} : { model: parsed(session["model"]) }),
    ...(session["permission"] == null ? {} : { permission: parsed(session["permission"]) }),
    tokens: {
      input: session["tokens_input"],
      output: session["tokens_output"],
      reasoning: session["tokens_reasoning"],
      cache: { read: session["tokens_cache_read"], write: session["tokens_cache_write"] },
    },
    time: { created: session["time_created"], updated: session["time_updated"] },
  };
}

const parsed = (text: unknown) => JSON.parse(String(text)) as Record<string, unknown>;
