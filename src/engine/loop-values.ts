import type { ExecutionContext, LoopFrame } from "./execution-context.ts";

/** The separator between the outputs in a loop's history. */
export const historySeparator = "---";

/**
 * Values of the innermost loop that texts can read but processes do not get: they can be long, and few processes need
 * them.
 */
export function loopValue(name: string, { frame, message }: ExecutionContext): string | undefined {
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

/** Every output so far, including this iteration's once it is known. */
const historyOf = ({ outputs = [], output }: LoopFrame): string =>
  [...outputs, ...(output === undefined ? [] : [output])].join(historySeparator);

const tallied = (count: number | undefined) => (count === undefined ? undefined : String(count));
