import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../processes/environment.ts";

/** Where package managers find registries and logins; nothing else of a HOME is copied. */
const files = [
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".netrc",
  ".gitconfig",
  ".config/git/config",
  ".config/pip/pip.conf",
  ".pip/pip.conf",
  ".config/uv/uv.toml",
  ".config/go/env",
  ".cargo/config.toml",
  ".cargo/credentials.toml",
  ".m2/settings.xml",
  ".gradle/gradle.properties",
  ".bundle/config",
  ".gemrc",
  ".config/composer/auth.json",
  ".nuget/NuGet/NuGet.Config",
];

const mostBytes = 64 * 1024;

/** Reads those settings before an agent can change them; returns a function that writes them to another HOME. */
export function keepHomeSettings({ HOME = "" }: Environment) {
  const kept = files.flatMap((name) => {
    const body = HOME === "" ? undefined : read(join(HOME, name));
    return body === undefined ? [] : [{ name, body }];
  });
  return {
    writeTo(home: string): void {
      for (const { name, body } of kept) {
        mkdirSync(dirname(join(home, name)), { recursive: true });
        writeFileSync(join(home, name), body, { mode: 0o600 });
      }
    },
  };
}

function read(path: string): Buffer | undefined {
  try {
    // Reading a pipe would block for ever.
    const stat = statSync(path);
    return stat.isFile() && stat.size <= mostBytes ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}
