import type { Stats } from "node:fs";
import { chmod, lstat, readFile, writeFile } from "node:fs/promises";
import { posix } from "node:path";
import { onDisk, readable } from "../git/git.ts";
import { type Checkout, madeAt } from "./checkout.ts";
import { entriesIn } from "./ignored-files.ts";

/** A file or folder that was made readable for the duration of a request. */
interface Opened {
  readonly path: string;
  readonly stat: Stats;
}

/** By checkout: what to close again at the end of the request. */
const opened = new Map<string, readonly Opened[]>();

/** By checkout: what the next snapshot reports to people. */
const made = new Map<string, readonly string[]>();

/**
 * Makes everything readable that its owner cannot read, below a checkout's top and in its `.git`, without following
 * links. `closeOpened` resets what was unreadable before the run, because a test may need it. What a program of the run
 * made unreadable stays readable, because a test runner must not skip a test that it cannot read. False if this was
 * already done.
 */
export async function openUnreadable(checkout: Checkout): Promise<boolean> {
  if (opened.has(checkout.index)) return false;
  const entries = await openBelow(checkout.top, ".");
  const before = new Set(await readBefore(checkout));
  const start = await madeAt(checkout.store);
  const isOld = ({ path, stat }: Opened) => before.has(path) || stat.ctimeMs < start;
  const old = entries.filter(isOld);
  opened.set(checkout.index, old);
  const newPaths = entries.filter((one) => !isOld(one)).map(({ path }) => path);
  made.set(checkout.index, [...(made.get(checkout.index) ?? []), ...newPaths]);
  if (old.some(({ path }) => !before.has(path)))
    await writeFile(listOf(checkout), JSON.stringify(old.map(({ path }) => path)));
  return true;
}

/** Resets what `openUnreadable` opened, unless there is another file now. */
export async function closeOpened({ top, index }: Checkout): Promise<void> {
  const all = opened.get(index) ?? [];
  opened.delete(index);
  // The contents of a folder come before the folder.
  for (const { path, stat } of all.toReversed()) {
    const place = onDisk(top, path);
    const now = await lstat(place).catch(() => undefined);
    if (now?.ino === stat.ino && now.dev === stat.dev) await chmod(place, stat.mode & 0o7777);
  }
}

/** Paths made readable permanently since the last call; relative to the checkout's top. */
export function takeMadeReadable({ index }: Checkout): readonly string[] {
  const paths = made.get(index) ?? [];
  made.delete(index);
  return [...paths].sort();
}

async function openBelow(top: string, path: string): Promise<readonly Opened[]> {
  const place = onDisk(top, path);
  const file = await lstat(place).catch(() => undefined);
  if (file === undefined) return [];
  const mode = needs(file);
  const isOpen =
    mode !== undefined &&
    (await chmod(place, mode).then(
      () => true,
      () => false,
    ));
  const here = isOpen ? [{ path, stat: file }] : [];
  if (!file.isDirectory()) return here;
  const inner: Opened[] = [];
  for (const entry of await entriesIn(top, path)) {
    if (!entry.isFile() && !entry.isDirectory()) continue;
    inner.push(...(await openBelow(top, posix.join(path, readable(entry.name)))));
  }
  return [...here, ...inner];
}

/** The mode that lets the owner use it; `undefined` if it is already readable. */
function needs(file: Stats): number | undefined {
  const [read, usual] = file.isDirectory() ? [0o700, 0o700] : file.isFile() ? [0o400, 0o600] : [0, 0];
  return (file.mode & read) === read ? undefined : (file.mode | usual) & 0o7777;
}

const listOf = ({ index }: Checkout) => `${index}-unreadable.json`;

async function readBefore(checkout: Checkout): Promise<readonly string[]> {
  try {
    return JSON.parse(await readFile(listOf(checkout), "utf8")) as readonly string[];
  } catch {
    return [];
  }
}
