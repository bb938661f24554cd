/** Options every command takes. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly cwd?: string;
  readonly store?: string;
}
