import { statSync } from "node:fs";
import { relative } from "node:path";
import { attempt } from "./lenient-reads.ts";
import type { WatchedProgram } from "./resource-watch.ts";

interface Started extends WatchedProgram {
  /** When it had not started yet. Files get the time of the last tick, which is a few milliseconds older. */
  readonly start: number;
}

/**
 * Unblocks a program that waits for a named pipe in its checkout, which was there before the program started: an agent
 * can leave one under the name of a test, and git does not see it. The pipe's other end may start late, so the program
 * waits for half a minute; then the pipe is removed, and `say` receives its path. Linux only.
 */
export function watchPipes({ pid, cwd, say, start }: Started, waitMs = longestWaitMs): () => void {
  let seen: readonly string[] = [];
  let isFound = false;
  let isOver = false;
  const look = async () => {
    const { top, waiting, removePipe } = await waitingIn(cwd, pid);
    if (isOver) return;
    const old = waiting.filter((path) => isOlder(path, { start, top }));
    // If there is one, there may be hundreds.
    const stuck = isFound ? old : old.filter((path) => seen.includes(path));
    const removed = stuck.filter(removePipe);
    isFound ||= removed.length > 0;
    for (const path of removed) say(noticeOf(relative(top, readable(path))));
    seen = old;
    timer = setTimeout(look, isFound ? waitMs / 60 : waitMs / 2).unref();
  };
  let timer = setTimeout(look, waitMs / 2).unref();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** The pipes that a program's processes are opening, and the top of its checkout. Most programs end before. */
async function waitingIn(cwd: string, pid: number) {
  const [{ removePipe, waitsForPipes }, { repositoryOf }] = await Promise.all([
    import("./pipes.ts"),
    import("./git-folders.ts"),
  ]);
  const top = attempt(() => repositoryOf(cwd)?.top) ?? cwd;
  return { top, waiting: waitsForPipes(pid, generations), removePipe };
}

const noticeOf = (path: string) =>
  `until-green: the program waited for the named pipe ${path}, which was there before it started; the pipe was removed\n`;

/** Whether a path is below the checkout's top and was there when the program started. */
function isOlder(path: string, { start, top }: { readonly start: number; readonly top: string }): boolean {
  const isInside = readable(path).startsWith(`${top}/`);
  return isInside && (attempt(() => statSync(Buffer.from(path, "latin1")).ctimeMs) ?? start) < start;
}

const readable = (path: string) => Buffer.from(path, "latin1").toString("utf8");

const longestWaitMs = 30_000;
/** What builds the walls, shells and test runners are a dozen. */
const generations = 24;
