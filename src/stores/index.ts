/**
 * The stores: one file each, and one line here.
 *
 * @module
 */
import { resolve } from "node:path";
import { BadStoreNameError, type LogStore } from "../ports/store.ts";
import { bundleStore } from "./bundle.ts";
import { directoryStore } from "./directory.ts";
import type { GitRefOptions } from "./git/open-run.ts";
import { gitRefStore } from "./git-ref.ts";
import { memoryStore } from "./memory.ts";

export interface StoreDefaults {
  /** The base for relative paths. */
  readonly cwd: string;
  /** The default folder for runs. */
  readonly directory: string;
  /** Options for a store at a git host; optional. */
  readonly git?: Omit<GitRefOptions, "remote" | "cwd">;
}

/** Opens the store that `--store` names: `memory`, `dir:PATH`, `git[:REMOTE]`, `bundle:FILE`; default: `directory`. */
export function openStore(spec: string | undefined, defaults: StoreDefaults): LogStore {
  if (spec === undefined) return directoryStore(resolve(defaults.cwd, defaults.directory));
  const [kind = "", ...rest] = spec.split(":");
  const open = Object.hasOwn(stores, kind) ? stores[kind] : undefined;
  if (open === undefined)
    throw new BadStoreNameError(
      `--store ${spec}: there is no such store; use memory, dir:PATH, git or bundle:FILE`,
    );
  return open(rest.join(":"), defaults);
}

const stores: Readonly<Record<string, (rest: string, defaults: StoreDefaults) => LogStore>> = {
  memory: () => memoryStore(),
  dir: (path, { cwd }) => {
    if (path === "") throw new BadStoreNameError("--store dir: needs a folder, as in dir:runs");
    return directoryStore(resolve(cwd, path));
  },
  git: (remote, { cwd, git = { environment: {} } }) =>
    gitRefStore({ ...git, cwd, remote: remote === "" ? "origin" : remote }),
  bundle: (file, { cwd, git = { environment: {} } }) => {
    if (file === "") throw new BadStoreNameError("--store bundle: needs a file, as in bundle:run.bundle");
    return bundleStore({ ...git, cwd, file });
  },
};
