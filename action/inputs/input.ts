import type { z } from "zod";

/** An input of the action: all that is known of it. `npm run tables` writes `action.yml` and the docs from it. */
export interface InputRow<Read extends z.ZodType> {
  /** Reads its text. */
  readonly read: Read;
  /** Markdown, in whole sentences. */
  readonly doc: string;
  /** Its text in a job that does not set it; empty by default. */
  readonly fallback?: string;
  /** Another name of it. */
  readonly alias?: string;
}

/** A row of the table of inputs. */
export const input = <Read extends z.ZodType>(
  read: Read,
  doc: string,
  more: Pick<InputRow<Read>, "fallback" | "alias"> = {},
): InputRow<Read> => ({ read, doc, ...more });
