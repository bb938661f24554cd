import { z } from "zod";

/** A text file that the engine wants to read; its path is data, which a program may have written. */
export interface FileRequest {
  /** Relative to the folder. */
  readonly path: string;
  readonly of: "checkout" | "artifacts";
  /** Bytes; a larger file is refused. */
  readonly most: number;
}

/** Its text, or why it cannot be read. */
export const fileAnswer = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ because: z.string() }),
]);

export type FileAnswer = z.infer<typeof fileAnswer>;

/** Reads files of a run's folders, and never one that a link leads out to. */
export type ReadFile = (request: FileRequest, folder: string) => Promise<FileAnswer>;
