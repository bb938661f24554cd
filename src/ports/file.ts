import { z } from "zod";

/** A text file that the engine reads. Its path is data, which a program may have written. */
export interface FileRequest {
  /** Relative to the folder. */
  readonly path: string;
  readonly of: "checkout" | "artifacts";
  /** Maximum size in bytes; a larger file is refused. */
  readonly most: number;
}

/** Its text, or why it cannot be read. */
export const fileAnswer = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ because: z.string() }),
]);

export type FileAnswer = z.infer<typeof fileAnswer>;

/** Reads files in a run's folders; refuses paths that lead outside by a link. */
export type ReadFile = (request: FileRequest, folder: string) => Promise<FileAnswer>;
