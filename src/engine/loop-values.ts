import type { Frame, Here } from "./here.ts";

/** What stands between the outputs of a loop's history. */
export const historySeparator = "---";

/**
 * Values of the innermost loop that texts may read and processes are not given: they may be long, or are there for
 * few.
 */
export function loopValue(name: string, { frame, message }: Here): string | undefined {
  switch (name) {
    case "LOOP_INPUT":
      return frame?.previous || message;
    case "LOOP_HISTORY":
      return frame === undefined ? undefined : historyOf(frame);
    case "LOOP_INDEX":
      return frame === undefined ? undefined : String(frame.number - 1);
    case "LOOP_TOTAL":
      return tallied(frame?.tally?.total);
    case "LOOP_SUCCEEDED":
      return tallied(frame?.tally?.succeeded);
    case "LOOP_FAILED":
      return tallied(frame?.tally?.failed);
    default:
      return undefined;
  }
}

/** Every output so far; that of the iteration itself once there is one. */
const historyOf = ({ outputs = [], output }: Frame): string =>
  [...outputs, ...(output === undefined ? [] : [output])].join(historySeparator);

const tallied = (count: number | undefined) => (count === undefined ? undefined : String(count));
