import { statSync } from "node:fs";
import process, { platform } from "node:process";
import {
  type Isolation,
  IsolationError,
  type IsolationMode,
  type Launch,
  type Wall,
  type WalledLaunch,
} from "../ports/isolation.ts";
import type { NetworkRule } from "../ports/network.ts";
import type { Bubblewrap } from "./bubblewrap.ts";
import type { Environment } from "./environment.ts";
import { attempt } from "./lenient-reads.ts";
import { makeOwnFolder } from "./make-folder.ts";
import { closingPrefix } from "./outside-launch.ts";
import { outputOf } from "./start-program.ts";
import { systemPath } from "./system-path.ts";

export interface IsolationOptions {
  /** The user's setting. `auto` lets the workflow decide; any other value applies to every program. */
  readonly mode?: IsolationMode | undefined;
  /** The hosts that every program may reach; if the user sets none, the workflow's rule applies. */
  readonly network?: NetworkRule | undefined;
  /** This process's own environment. */
  readonly environment: Environment;
  /** The user's own: further paths that every program may read, or write. */
  readonly show?: readonly string[] | undefined;
  readonly write?: readonly string[] | undefined;
  /** Told once, before the first program: what its project needs and will not find. */
  readonly notice?: ((text: string) => void) | undefined;
  /** The checkout, and other folders of this run that every program may write to. */
  readonly writable?: readonly string[];
}

/** The walls of this machine, which are probed when first needed. */
export function openIsolation(options: IsolationOptions): Isolation {
  const { mode = "auto", environment, writable = [] } = options;
  let tried: Promise<BuiltWalls> | undefined;
  const build = () => {
    tried ??= buildWalls({ environment, writable });
    return tried;
  };
  const tell = tellOnce(writable, options.notice);
  let dumps: Promise<void> | undefined;
  const seen: NetworkUse = {
    rules: new Set(options.network && [hostsOf(options.network)]),
    refused: new Set(),
  };
  return {
    async walls() {
      if (mode === "off") return offWalls;
      const { walls, namespace } = await build();
      return [...walls, networkWall(seen, namespace)];
    },
    refusedHosts: () => [...seen.refused].sort(),
    async wrap(launch, settings = {}) {
      const rule = options.network ?? settings.network;
      const wanted = mode === "auto" ? (settings.isolation ?? mode) : mode;
      const hosts = wanted === "off" ? everyHost : hostsOf(rule);
      seen.rules.add(hosts);
      // With or without walls, a core file of this process would contain its secrets.
      dumps ??= forbidCoreDumps();
      await dumps;
      if (wanted === "off") return launch;
      const { walls, namespace } = await build();
      if (wanted === "required")
        refuseWithout([...walls, networkWall({ ...seen, rules: new Set([hosts]) }, namespace)]);
      if (namespace === undefined) return launch;
      const { widened } = await import("./opened-places.ts");
      const wider = widened(launch, [options, settings], {
        environment,
        checkout: writable[0] ?? "/nowhere",
      });
      await tell(wider);
      const walled = await behind(namespace, wider, { rule, refused: seen.refused, writable, environment });
      const [command, ...args] = [...closingPrefix(), walled.command, ...walled.args];
      return { ...walled, command: command ?? "", args };
    },
  };
}

/** Loaded when the first program starts, because many commands start none. */
const builders = () =>
  Promise.all([import("./bubblewrap.ts"), import("./file-sandbox.ts"), import("./watch-git.ts")]);

/** Tells, before the first program, which neighbours it will not see. */
function tellOnce(
  writable: readonly string[],
  notice: IsolationOptions["notice"],
): (launch: Launch) => Promise<void> {
  let isTold = notice === undefined;
  return async (launch) => {
    if (isTold) return;
    isTold = true;
    const { absentNeighbours } = await import("./neighbours.ts");
    const text = absentNeighbours(launch, writable);
    if (text !== undefined) notice?.(text);
  };
}

interface Network {
  readonly rule: NetworkRule | undefined;
  readonly refused: Set<string>;
  readonly writable: readonly string[];
  readonly environment: Environment;
}

async function behind(
  walls: Bubblewrap,
  launch: Launch,
  { rule, refused, writable, environment }: Network,
): Promise<WalledLaunch> {
  for (const folder of launch.kept ?? []) makeOwnFolder(folder);
  const [, , { watchGit }] = await builders();
  const end = await watchGit([...writable, ...(launch.writable ?? [])]);
  if (rule === undefined) {
    const { close, ...walled } = walls.wrap(launch);
    const closeBoth = () => {
      close();
      return end();
    };
    return { ...walled, close: closeBoth };
  }
  // Most programs have no rule for the network, and its wall needs all of Node's HTTP.
  const { openNetworkWall } = await import("./network-wall.ts");
  const network = await openNetworkWall([...rule, ...(launch.hosts ?? [])], {
    loopback: launch.loopback,
    environment,
    refused: (host) => void (refused.size < mostRefused && refused.add(host)),
  });
  const { close, ...walled } = walls.wrap(launch, network);
  return {
    ...walled,
    close() {
      network.close();
      close();
      return end();
    },
  };
}

const mostRefused = 20;

/** Throws if a wall is missing that `isolation: required` demands. The network wall counts only if there is a rule. */
export function refuseWithout(walls: readonly Wall[]): void {
  const missing = walls.filter(({ name, on, open: isOpen }) => !on && !(name === "network" && isOpen));
  if (missing.length === 0) return;
  const reasons = missing.map(
    ({ name, detail, remedy }) => `${name}: ${detail}${remedy ? ` (${remedy})` : ""}`,
  );
  throw new IsolationError(`isolation is required and not available here: ${reasons.join("; ")}`);
}

const everyHost = "every host";
const hostsOf = (rule: NetworkRule | undefined) =>
  rule === undefined ? everyHost : rule.length === 0 ? "no host" : rule.join(", ");

/** How programs were started so far: the rules as text, and the refused hosts. */
interface NetworkUse {
  readonly rules: ReadonlySet<string> & Pick<Set<string>, "add">;
  readonly refused: Set<string>;
}

/** The network wall as text: the hosts that programs may reach. */
function networkWall({ rules, refused }: NetworkUse, namespace: Bubblewrap | undefined): Wall {
  const name = "network";
  const limited = [...rules].filter((hosts) => hosts !== everyHost);
  if (limited.length === 0) {
    const detail = "an agent can send everything that it can read to any host";
    return { name, on: false, open: true, detail, remedy: "list the hosts that it needs in `network`" };
  }
  if (namespace === undefined) {
    const detail = "`network` needs the wall around files to be enforced: every host can be reached";
    return { name, on: false, detail };
  }
  const others = rules.has(everyHost) ? "; some reach every host" : "";
  const refusals = refused.size === 0 ? "" : `; refused: ${[...refused].sort().join(", ")}`;
  const detail = `programs reach ${limited.join("; others ")}${others}${refusals}`;
  return { name, on: !rules.has(everyHost), detail };
}

interface BuiltWalls {
  readonly walls: readonly Wall[];
  readonly namespace: Bubblewrap | undefined;
}

async function buildWalls(
  options: Required<Pick<IsolationOptions, "environment" | "writable">>,
): Promise<BuiltWalls> {
  const [{ findBubblewrap, isOthersRoot }, { openFileSandbox }] = await builders();
  const [checkout = "/"] = options.writable;
  const owner = attempt(() => statSync(checkout).uid);
  const isRoot = isOthersRoot(owner);
  const [files, bare] = [true, false].map((hasLayers) => openFileSandbox({ ...options, hasLayers }));
  if (files === undefined || bare === undefined) throw new TypeError("there are two ways");
  const ways = [
    ...(isRoot ? [{ files, isRoot }] : []),
    { files, isRoot: false },
    { files: bare, isRoot: false },
  ];
  const found = await findBubblewrap(ways);
  if (typeof found === "string") {
    const { remedy } = await import("./wall-remedy.ts");
    const remedyOf = remedy(found);
    const missing = (name: Wall["name"], may: string): Wall => ({
      name,
      on: false,
      detail: `${found}; an agent can ${may}`,
      remedy: remedyOf,
    });
    return {
      walls: [
        missing(
          "processes",
          "read the memory and environment of this user's processes, and leave processes behind",
        ),
        missing("files", "read and change every file of this user"),
      ],
      namespace: undefined,
    };
  }
  const caches =
    found.way === ways.length - 1 ? "; caches start empty, because overlays cannot be mounted" : "";
  return {
    walls: [
      { name: "processes", on: true, detail: "each program has namespaces of its own, built by bubblewrap" },
      { name: "files", on: true, detail: `${withFiles}${caches}` },
    ],
    namespace: found,
  };
}

const withFiles =
  "programs see the system, its tools and the checkout, and write in the checkout and in private folders only";

const offWalls: readonly Wall[] = (["processes", "files", "network"] as const).map((name) => ({
  name,
  on: false,
  detail: "isolation is off",
}));

/** A core file of this process would contain every secret. Only root can raise a hard limit again. */
async function forbidCoreDumps(): Promise<void> {
  if (platform !== "linux") return;
  const args = ["--core=0:0", "--pid", String(process.pid)];
  await outputOf("/usr/bin/prlimit", args, { env: { PATH: systemPath } }).catch(() => undefined);
}
