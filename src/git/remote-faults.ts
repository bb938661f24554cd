import { nothingLost } from "../ports/disk-fault.ts";
import { ExpiredTokenError, type Remote, RemoteError, UnreachableError } from "./remote.ts";

/** True if the host's error means that the credentials lack permission. Waiting does not help then. */
export const isForbidden = (text: string) =>
  isUnknown(text) || /\b403\b|permission (to .*)?denied|denied to /i.test(text);

/** The host does not know the credentials, or no longer knows them. */
export const isUnknown = (text: string) =>
  /\b401\b|authentication failed|could not read (username|password)/i.test(text);

/** The requested object does not exist. Waiting does not help. */
export const isGone = (text: string) =>
  /not our ref|couldn't find remote ref|unadvertised object/i.test(text);

/** True if a host rejects these credentials permanently. If it accepted them before, the error is a rate limit. */
export const isRefused = ({ admitted }: Remote, access: "read" | "write", text: string): boolean =>
  !admitted.has(access) && isForbidden(text);

export const forbidden = async (remote: Remote, access: "read" | "write", text: string) =>
  (await refusalOf(remote, text)) ?? withoutPermission(remote, access);

/** What a host refuses for good, with its reason and the remedy. Waiting does not help. */
export async function refusalOf(remote: Remote, text: string): Promise<RemoteError | undefined> {
  if (isArchived(text)) return archived(remote);
  // Loaded with the first refusal.
  const { refusalIn } = await import("./host-words.ts");
  const refused = refusalIn(text);
  return (
    refused &&
    new RemoteError(`${remote.name} refuses it, because ${refused.why}: ${refused.remedy}; ${nothingLost}`)
  );
}

const withoutPermission = ({ name }: Remote, access: "read" | "write") =>
  new RemoteError(
    `${name} does not allow this job to ${access === "read" ? "read" : "save"} the run: give the job \`permissions: contents: write\`, ` +
      "or git a key that may push there",
  );

/** Nobody may push to an archived repository. Waiting does not help. */
const isArchived = (text: string): boolean => /archived so (it )?is read-only/i.test(text);

const archived = ({ name }: Remote) =>
  new RemoteError(`${name} is archived and takes nothing: unarchive it, and try again; ${nothingLost}`);

/**
 * GitHub also gives this answer to callers who may not see the repository. It can be temporary, for example right after
 * a repository was created.
 */
const isMissing = (text: string) =>
  /repository .*not found|does not appear to be a git repository/i.test(text);

/** git found that the host's repository lacks objects, or cannot read them. */
const isDamaged = (text: string) =>
  /^remote: .*(inflate: data stream error|object file .* is empty|is corrupt|corrupted|could not read [0-9a-f]{40}|unable to (read|unpack|find) [0-9a-f]{40}|bad (object|tree object|packed object|pack)|missing (blob|tree|commit|object)|loose object|packfile .* (cannot be accessed|not found)|index CRC mismatch|unresolved deltas)/im.test(
    text,
  );

/** The host's disk is full or read-only, which may pass. */
export const isOfItsDisk = (text: string): boolean =>
  /no space left on device|disk quota exceeded|read-only file system|unable to create temporary (object directory|file)/i.test(
    text,
  );

/** git refuses a repository on this machine that another user owns. Waiting does not help. */
export const isOfAnotherUser = (text: string): boolean => /detected dubious ownership/i.test(text);

export const ofAnotherUser = ({ name }: Remote) =>
  new RemoteError(
    `${name} belongs to another user, and git does not use it: if you trust its owner, allow it with ` +
      `\`git config --global --add safe.directory ${name}\``,
  );

/** What to say when patience has run out; `text` is git's output. */
export function unreachable({ name }: Remote, text: string): UnreachableError {
  // git reports some of these as damage.
  if (isOfItsDisk(text))
    return new UnreachableError(
      `${name} cannot write to its disk (${reasonOf(text)})`,
      `free some space there, or make it writable, and try again; ${nothingLost}`,
    );
  if (isDamaged(text))
    return new UnreachableError(
      `the repository ${name} is damaged (${reasonOf(text)})`,
      `\`git fsck\` at the host names its broken objects; put them back from a backup or a clone, and try again; ${nothingLost}`,
    );
  // It accepted them before: otherwise the first attempt would have failed for good.
  if (isUnknown(text)) return new ExpiredTokenError(name, reasonOf(text));
  const first = isMissing(text) ? "check its address, and that it exists for these credentials; then " : "";
  return new UnreachableError(
    `${name} cannot be reached (${reasonOf(text)})`,
    `${first}try again; ${nothingLost}`,
  );
}

/** What the host itself said about a push it refused, such as its rule, the file and a link; may be empty. */
export function wordsOfHost(text: string): string {
  const lines = [...text.matchAll(/^remote:[^\S\n]*(.*\w.*?)\s*$/gm)].map(([, line]) => line);
  return lines.join(" ").slice(0, mostOfHost);
}

const mostOfHost = 600;

/** The first error line of git's output; later ones only follow from it. */
export function reasonOf(text: string): string {
  const lines = text.split("\n").flatMap((line) => line.trim() || []);
  const complaint = lines.find((line) => /^(fatal|error|ssh|remote: (fatal|error)): /.test(line));
  return (complaint ?? lines.at(-1) ?? "no reason given").replace(/^(fatal|error): /, "");
}
