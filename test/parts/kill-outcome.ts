import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { RunEvent } from "../../src/engine/run-events.ts";
import { filesBelow, withoutIds } from "./disk-state.ts";

/** The state of a run, and of the disk. */
export interface Outcome {
  readonly end: string;
  readonly answers: readonly string[];
  readonly calls: readonly string[];
  readonly messages: number;
  readonly files: string;
  /** Our own folders, the temporary one, and locks anywhere. */
  readonly left: readonly string[];
}

export function outcomeOf(
  { checkout, folder }: { readonly checkout: string; readonly folder: string },
  events: readonly RunEvent[],
): Outcome {
  const end = events.at(-1);
  const calls = [folder, checkout].map((at) => join(at, "calls")).filter((path) => existsSync(path));
  const answers = events.flatMap((event) =>
    event.type === "agent.answered" ? [`${event.path} ${event.text}`] : [],
  );
  const isReported = (event: RunEvent) =>
    event.type === "notice" && ["BEGUN_AGAIN", "CUT_OFF"].includes(event.code);
  return {
    end: end?.type === "run.ended" ? `${end.conclusion} ${end.stop_reason}` : `${end?.type}`,
    answers: answers.toSorted(),
    calls: calls.flatMap((path) => readFileSync(path, "utf8").trim().split("\n")),
    messages: events.filter(isReported).length,
    files: contentOf(checkout),
    left: [
      ...new Set(
        filesBelow(folder)
          .filter(isOurs)
          .map((path) => named(folder, path)),
      ),
    ].toSorted(),
  };
}

const isOurs = (path: string) =>
  /\/until-green\/|^temporary\/(?!node-compile|tsx-|v8-)|\.lock$/.test(path) &&
  !/\/objects\/|snapshots\/[0-9a-f]{40}$/.test(path) &&
  // The lock of a dead process is recognized; after the end of a run nobody takes it again.
  !/\/(owner|owner\.[0-9a-f]{12}|log\.lock)$/.test(path);

/** Its deterministic name; an empty ref is damaged. */
function named(folder: string, path: string): string {
  const isEmpty = /\/refs\//.test(path) && statSync(join(folder, path)).size === 0;
  return withoutIds(path) + (isEmpty ? " (empty)" : "");
}

function contentOf(checkout: string): string {
  const hash = createHash("sha256");
  const names = filesBelow(checkout).filter((path) => !/^\.git\/|^calls$/.test(path));
  for (const name of names.toSorted()) {
    const path = join(checkout, name);
    hash.update(`${name}\0${statSync(path).mode}\0`).update(readFileSync(path));
  }
  return `${names.join(" ")} ${hash.digest("hex")}`;
}

/** How many more calls ran again than without a kill. */
export const again = (was: Outcome, should: Outcome) =>
  Math.max(0, repeated(was.calls).length - repeated(should.calls).length);

const repeated = (calls: readonly string[]) => calls.filter((call, at) => calls.indexOf(call) !== at);

/** All errors, as text. */
export function differences(was: Outcome, should: Outcome, isAside: boolean): readonly string[] {
  const faults: string[] = [];
  if (was.end !== should.end) faults.push(`it ended as ${was.end}, not ${should.end}`);
  if (was.files !== should.files) faults.push(`the workspace is ${was.files}, not ${should.files}`);
  const left = was.left.filter((path) => !should.left.includes(path));
  if (left.length > 0) faults.push(`left behind: ${left.join(" ")}`);
  if (was.answers.join("\n") !== should.answers.join("\n"))
    faults.push(`the answers are ${was.answers.join(", ")}`);
  const [calls, others] = [was, should].map((one) => [...new Set(one.calls)].toSorted().join());
  if (calls !== others) faults.push(`other calls were made: ${was.calls.join(" ")}`);
  const timesIn = (one: Outcome, call: string) => one.calls.filter((other) => other === call).length;
  if (was.calls.some((call) => timesIn(was, call) > timesIn(should, call) + 1))
    faults.push(`a call ran again more than once: ${was.calls.join(" ")}`);
  if (again(was, should) > was.messages && !isAside)
    faults.push(`${again(was, should)} calls ran again, and ${was.messages} were named`);
  return faults;
}
