/** A line that a change adds outside tests. */
export interface SuspiciousLine {
  readonly file: string;
  readonly text: string;
}

/** The path of a file in its part of a patch; `undefined` if the file was deleted. */
export const fileOf = (part: string): string | undefined =>
  /^\+\+\+ b\/(.*)$/m.exec(part)?.[1]?.replace(/\t$/, "");
