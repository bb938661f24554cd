/** What the action's shell hands over: the inputs as JSON, and the variables that nobody is to find in our environment. */
export interface Given {
  readonly inputs: string;
  readonly keys: Readonly<Record<string, string>>;
}

/** Reads it: the JSON, then each variable as `NAME=value`, with a zero byte before it. */
export function readGiven(text: string): Given {
  const [inputs = "", ...variables] = text.split("\0");
  const keys = variables.map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]);
  return { inputs, keys: Object.fromEntries(keys) };
}
