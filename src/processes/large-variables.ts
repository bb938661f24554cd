import type { PrivateTempDir } from "./private-temp-dir.ts";

export interface VariablesOptions {
  /** Variables that the process sees in any case. */
  readonly base: Readonly<Record<string, string>>;
  /** Values of any size and content. */
  readonly values: Readonly<Record<string, string>>;
  readonly scratch: PrivateTempDir;
}

export interface VariableFiles {
  readonly env: Readonly<Record<string, string>>;
  /** Names whose value the kernel cannot pass. `NAME_FILE` is set instead: the path of a file with the value. */
  readonly inFiles: readonly string[];
}

/** Makes values fit into an environment the kernel accepts: large values, and those with a NUL, go into files. */
export function writeLargeVariables({ base, values, scratch }: VariablesOptions): VariableFiles {
  const names = Object.keys(values);
  const bad = names.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (bad !== undefined)
    throw new Error(`${JSON.stringify(bad)} cannot be the name of a variable: letters, digits and _`);
  const inFiles = namesForFiles(base, values);
  const env = { ...base, ...values };
  for (const name of inFiles) {
    delete env[name];
    env[`${name}_FILE`] = scratch.write(name, values[name] ?? "");
  }
  return { env, inFiles };
}

/** Bash code that restores variables from files, unexported; goes in front of a script, on its first line. */
export function prelude(names: readonly string[], values: Readonly<Record<string, string>>): string {
  return names
    .map((name) => `IFS= read -r -d '' ${name} <${source(name, values[name] ?? "")} || :; `)
    .join("");
}

/** Bash cannot hold a NUL; the file still does. */
const source = (name: string, value: string) =>
  value.includes("\0") ? ` <(tr -d '\\000' <"$${name}_FILE")` : `"$${name}_FILE"`;

const largestValue = 32 * 1024;
/** Linux allows 2 MiB for arguments and environment together; about half is left for the script. */
const largestEnvironment = 900_000;

function namesForFiles(
  base: VariablesOptions["base"],
  values: VariablesOptions["values"],
): readonly string[] {
  const sizes = Object.entries(values).map(([name, value]) => ({
    name,
    bytes: Buffer.byteLength(value) + name.length + 2,
    mustGo: value.includes("\0") || Buffer.byteLength(value) > largestValue,
  }));
  const kept = sizes.filter((size) => !size.mustGo).toSorted((a, b) => b.bytes - a.bytes);
  let total = sizeOf(base) + kept.reduce((sum, { bytes }) => sum + bytes, 0);
  const tooMany = kept.filter(({ bytes }) => {
    const goes = total > largestEnvironment && bytes > 256; // the path of a file takes almost as much
    if (goes) total -= bytes;
    return goes;
  });
  return [...sizes.filter((size) => size.mustGo), ...tooMany].map(({ name }) => name);
}

const sizeOf = (env: Readonly<Record<string, string>>) =>
  Object.entries(env).reduce((sum, [name, value]) => sum + Buffer.byteLength(value) + name.length + 2, 0);
