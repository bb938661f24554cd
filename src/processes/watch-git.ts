import { programRecords } from "./clean-after-kill.ts";
import { repositoryOf } from "./git-folders.ts";
import { recordSettings, refuseNew } from "./git-settings.ts";
import { isWritable } from "./is-writable.ts";
import { recordProgram, removeLeftByKilled } from "./killed-programs.ts";

/**
 * Records, before a program starts, what leads git to programs in these folders (the checkout first). The returned function takes back what was added since, and says so.
 */
export async function watchGit(folders: readonly string[]): Promise<() => string | undefined> {
  const records = await openRecords(folders[0] ?? "");
  const before = recordSettings(folders);
  const forget = records === undefined ? () => undefined : await recordProgram(records, before);
  return () => {
    const { settings } = refuseNew(before);
    forget();
    return noticeOf(settings);
  };
}

/** Where a checkout's programs are recorded, without what a killed run left: it would count as the user's. */
async function openRecords(checkout: string): Promise<string | undefined> {
  const own = repositoryOf(checkout)?.own;
  // Where we cannot write, neither can the program.
  if (own === undefined || !isWritable(own)) return undefined;
  const records = programRecords(own);
  if (!cleaned.has(records)) await removeLeftByKilled(records, "waits");
  cleaned.add(records);
  return records;
}

const cleaned = new Set<string>();

const noticeOf = (settings: readonly string[]) =>
  settings.length === 0
    ? undefined
    : `until-green: git's settings were changed while the program ran; what could start a program was removed: ${settings.slice(0, 5).join(", ")}\n`;
