/** The content of a checkout at the start of the loop. */
export interface Checkout {
  /** The paths of its files. */
  readonly paths: readonly string[];
  /** The text of a file by its path; `undefined` if it does not exist. */
  text(path: string): string | undefined;
}
