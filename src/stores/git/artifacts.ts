import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { sessionsFolder } from "../../ports/agent.ts";
import { defined } from "../../ports/defined.ts";
import { makeOwnFolder } from "../../processes/make-folder.ts";
import { readRegularFile } from "../../processes/regular-file.ts";
import { replaceOwnFile } from "../../processes/replace-file.ts";
import type { LogHead } from "./commit-log.ts";
import { decrypt, encrypt, isEncrypted } from "./encrypt.ts";
import { type Caps, packFiles, unpackFiles } from "./files.ts";
import type { RemoteRun } from "./run-refs.ts";

/** The part of a run's folder that is sent with its log: the ids of two trees. */
export type Packed = Pick<LogHead, "artifacts" | "sessions">;

/** A run's folder for files on this machine. */
export interface RunFolder {
  readonly path: string;
  /** Packs the folder and returns the trees to send. */
  packed(): Packed;
  /** Records that the folder matches the remote. */
  marked(): void;
  /** Creates the folder, with the files from other machines. */
  filled(): Promise<string>;
}

/** Few and small files: larger ones stay on the machine that created them. */
const small: Caps = { fileBytes: 64 * 1024, bytes: 1024 * 1024, files: 200 };
const conversations: Caps = { fileBytes: 4 * 1024 * 1024, bytes: 16 * 1024 * 1024, files: 500 };

export function runFolder(record: RemoteRun, secrets: readonly string[]): RunFolder {
  const path = join(record.dir, "artifacts");
  const sessions = join(path, sessionsFolder);
  const mark = join(record.dir, "artifacts-of");
  const markOf = ({ artifacts = "", sessions = "" }: Packed) => `${artifacts} ${sessions}`;
  const marked = () => replaceOwnFile(mark, markOf(record.tip?.head ?? {}));
  return {
    path,
    marked,
    packed() {
      const seal = sealing(record);
      const artifacts = packFiles(record, { folder: path, caps: small, secrets, travels: () => true, seal });
      const packed = packFiles(record, {
        folder: sessions,
        caps: conversations,
        secrets,
        travels: isSession,
        seal,
        newestFirst: true,
      });
      return defined({ artifacts, sessions: packed });
    },
    async filled() {
      mkdirSync(path, { recursive: true });
      const there = record.tip?.head ?? {};
      if (markOf(there) !== (readRegularFile(mark) ?? "")) await fill(record, there, { path, sessions });
      marked();
      return path;
    },
  };
}

const sealing =
  ({ key, runId: run }: RemoteRun) =>
  (what: string, body: Buffer) =>
    key === undefined ? body : Buffer.from(encrypt(key.secret, { run, what }, body));

/** Files of earlier versions are not encrypted. */
const opening =
  ({ key, runId: run }: RemoteRun) =>
  (what: string, stored: Buffer) =>
    isEncrypted(stored.toString("latin1", 0, 8))
      ? decrypt(key?.secret, { run, what }, stored.toString("latin1"))
      : stored;

async function fill(
  record: RemoteRun,
  { artifacts, sessions }: Packed,
  to: { readonly path: string; readonly sessions: string },
): Promise<void> {
  const open = opening(record);
  if (artifacts !== undefined)
    await unpackFiles(record, { tree: artifacts, folder: to.path, travels: () => true, open });
  if (sessions === undefined) return;
  makeOwnFolder(to.sessions);
  chmodSync(to.sessions, 0o700);
  await unpackFiles(record, { tree: sessions, folder: to.sessions, travels: isSession, open, mode: 0o600 });
}

/** True for a session file: `<agent>/<session>…`, stored as text, and whose name does not suggest a key. */
function isSession(path: string): boolean {
  const isPlain = /^[\w@+=,-]+(\/[\w@+=,.-]+)+$/.test(path) && !/(^|\/)\./.test(path);
  return isPlain && /(\/[^./]+|\.(jsonl?|ndjson|md|txt|ya?ml))$/.test(path) && !isKey.test(path);
}

const isKey = /(^|[/_.-])(auth|oauth|credentials?|tokens?|secrets?|keys?|passwords?|cookies?)([/_.-]|$)/i;
