/** The shell step's data: the inputs as JSON, and variables that must not be in our environment. */
export interface StdinPayload {
  readonly inputs: string;
  readonly keys: Readonly<Record<string, string>>;
}

/** Parses it: the JSON, then each variable as `NAME=value` after a NUL byte. */
export function parseStdin(text: string): StdinPayload {
  const [inputs = "", ...variables] = text.split("\0");
  const keys = variables.map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]);
  return { inputs, keys: Object.fromEntries(keys) };
}
