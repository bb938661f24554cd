import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sessionsFolder } from "../../../ports/agent.ts";
import type { Head } from "./chain.ts";
import { type Caps, packFiles, unpackFiles } from "./files.ts";
import type { RunRecord } from "./record.ts";

/** What of a run's folder travels with its log: the names of two trees. */
export type Packed = Pick<Head, "artifacts" | "sessions">;

/** The folder for a run's files on this machine. */
export interface RunFolder {
  readonly path: string;
  /** What travels, as it is now. */
  packed(): Packed;
  /** Remembers that the folder is as the record has it. */
  marked(): void;
  /** Makes it, with what other machines put into it. */
  filled(): Promise<string>;
}

/** Small files, few of them: larger ones stay on the machine that made them. */
const small: Caps = { fileBytes: 64 * 1024, bytes: 1024 * 1024, files: 200 };
const conversations: Caps = { fileBytes: 4 * 1024 * 1024, bytes: 16 * 1024 * 1024, files: 500 };

export function runFolder(record: RunRecord, secrets: readonly string[]): RunFolder {
  const path = join(record.dir, "artifacts");
  const sessions = join(path, sessionsFolder);
  const mark = join(record.dir, "artifacts-of");
  const markOf = ({ artifacts = "", sessions = "" }: Packed) => `${artifacts} ${sessions}`;
  const marked = () => writeFileSync(mark, markOf(record.tip?.head ?? {}));
  return {
    path,
    marked,
    packed() {
      const artifacts = packFiles(record, { folder: path, caps: small, secrets, travels: () => true });
      const spoken = packFiles(record, {
        folder: sessions,
        caps: conversations,
        secrets,
        travels: isSession,
        newestFirst: true,
      });
      return {
        ...(artifacts === undefined ? {} : { artifacts }),
        ...(spoken === undefined ? {} : { sessions: spoken }),
      };
    },
    async filled() {
      mkdirSync(path, { recursive: true });
      const there = record.tip?.head ?? {};
      const here = existsSync(mark) ? readFileSync(mark, "utf8") : "";
      if (markOf(there) !== here) await fill(record, there, { path, sessions });
      marked();
      return path;
    },
  };
}

async function fill(
  { gitDir }: RunRecord,
  { artifacts, sessions }: Packed,
  to: { readonly path: string; readonly sessions: string },
): Promise<void> {
  if (artifacts !== undefined)
    await unpackFiles({ gitDir }, { tree: artifacts, folder: to.path, travels: () => true });
  if (sessions === undefined) return;
  mkdirSync(to.sessions, { recursive: true, mode: 0o700 });
  chmodSync(to.sessions, 0o700);
  await unpackFiles({ gitDir }, { tree: sessions, folder: to.sessions, travels: isSession, mode: 0o600 });
}

/** `<agent>/<session>…`, written down as text, and by its name no key to anything. */
function isSession(path: string): boolean {
  const isPlain = /^[\w@+=,-]+(\/[\w@+=,.-]+)+$/.test(path) && !/(^|\/)\./.test(path);
  return isPlain && /(\/[^./]+|\.(jsonl?|ndjson|md|txt|ya?ml))$/.test(path) && !isKey.test(path);
}

const isKey = /(^|[/_.-])(auth|oauth|credentials?|tokens?|secrets?|keys?|passwords?|cookies?)([/_.-]|$)/i;
