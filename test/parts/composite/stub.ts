/** A stub for another action: a folder with an action, or a function. */
export type Stub = string | ((call: StubCall) => StubEnd | Promise<StubEnd>);

export interface StubCall {
  readonly uses: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly workspace: string;
  print(line: string): void;
}

export interface StubEnd {
  /** Succeeds by default. */
  readonly ok?: boolean;
  readonly outputs?: Readonly<Record<string, string>>;
}
