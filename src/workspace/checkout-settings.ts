import { appendFile } from "node:fs/promises";
import { git, readable } from "../git/git.ts";
import { settingsText } from "../processes/git-config.ts";

/** Names and values as git lists them, with section and key in lowercase. */
export type GitSettings = ReadonlyMap<string, string>;

/** All effective settings of a checkout, including the user's and the machine's. */
export async function readSettings(top: string): Promise<GitSettings> {
  const env = { GIT_CONFIG_NOSYSTEM: undefined, GIT_CONFIG_GLOBAL: undefined };
  const { out } = await git({ cwd: top, args: ["config", "--list", "-z"], env, accept: [0, 1] });
  return new Map(
    out.split("\0").flatMap((entry) => {
      const [, name, value = "true"] = /^([^\n]+)(?:\n([\s\S]*))?$/.exec(entry) ?? [];
      return name === undefined ? [] : [[name, readable(value)] as const];
    }),
  );
}

/** The settings that decide how a file's bytes become a blob and that cannot start a program (except git-lfs). */
export function harmlessSettings(settings: GitSettings): readonly (readonly [string, string])[] {
  return [...settings].filter(
    ([name, value]) =>
      blobs.test(name) || (lfs.test(name) && /^(git-lfs [\w -]+(%f)?|true|false)$/.test(value)),
  );
}

/** Adds settings to a configuration file. */
export async function addSettings(
  file: string,
  settings: readonly (readonly [name: string, value: string])[],
): Promise<void> {
  await appendFile(file, Buffer.from(settingsText(settings), "utf8"));
}

const blobs = /^core\.(autocrlf|eol|filemode|ignorecase|symlinks|precomposeunicode|longpaths)$/;
const lfs = /^filter\.lfs\.(clean|smudge|process|required)$/;
