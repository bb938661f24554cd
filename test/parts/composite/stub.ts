/** Stands in for an action of others: a folder with another action, or a function. */
export type Stub = string | ((call: StubCall) => StubEnd | Promise<StubEnd>);

export interface StubCall {
  readonly uses: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly workspace: string;
  print(line: string): void;
}

export interface StubEnd {
  /** Unless said, it went well. */
  readonly ok?: boolean;
  readonly outputs?: Readonly<Record<string, string>>;
}
