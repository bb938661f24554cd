import { RemoteError } from "../../../src/git/remote.ts";
import type { LogCommit } from "../../../src/stores/git/commit-log.ts";
import { digestOf } from "../../../src/stores/git/commit-log.ts";
import type { LogHost } from "../../../src/stores/git/log-host.ts";
import type { Sim } from "./sim.ts";

/** Faults of one exchange. */
const faults = ["lostAck", "reject", "hang", "403", "429", "500", "late", "slow"] as const;

/** A git host without git: refs updated by compare-and-swap, and commits with parents. */
export interface FakeRemote {
  /** The probability of a fault per exchange; 0 stops faults. */
  faulty: number;
  /** All recorded lines. */
  lines(): readonly string[];
  /** True if the end of the run is recorded. */
  ended(): boolean;
  /** The last recorded commit. */
  tip(): string | undefined;
  /** All moves of the ref that were not forward. */
  readonly rewound: readonly string[];
  /** The host as seen by one process; `live` blocks everything for a dead process. */
  host(live: <T>(ms: number, act: () => T) => Promise<T>, process: string): LogHost;
  /** Called when a push was executed, before its process learns of it, possibly much earlier. */
  carriedOut: (process: string, isSlow: boolean) => void;
}

interface Kept {
  readonly link: LogCommit;
  readonly parent: string | undefined;
  /** All lines so far, and whether one of them ends the run; checked after each simulated event. */
  readonly lines: readonly string[];
  readonly isEnd: boolean;
}

export function openRemote(sim: Sim): FakeRemote {
  const refs = new Map<string, string>();
  const commits = new Map<string, Kept>();
  const rewound: string[] = [];
  let made = 0;
  const chain = (tip: string | undefined): readonly LogCommit[] => {
    const links: LogCommit[] = [];
    for (let at = tip; at !== undefined; at = commits.get(at)?.parent) {
      const link = commits.get(at)?.link;
      if (link === undefined) throw new Error(`commit ${at} is missing`);
      links.push(link);
    }
    return links.reverse();
  };
  const tip = () => {
    for (const [name, commit] of refs) if (name.endsWith("/state")) return commit;
    return undefined;
  };
  const last = () => commits.get(tip() ?? "");
  const move = (ref: string, to: string, expected: string | undefined): string => {
    if (refs.get(ref) !== expected) return `! [rejected] ${ref} (stale info)`;
    if (expected !== undefined && commits.get(to)?.parent !== expected) rewound.push(to);
    refs.set(ref, to);
    return "";
  };
  const remote: FakeRemote = {
    faulty: 0,
    rewound,
    tip,
    lines: () => last()?.lines ?? [],
    ended: () => last()?.isEnd === true,
    carriedOut: () => undefined,
    host: (live, process) => ({
      listRefs: (patterns) => list({ sim, remote, refs, live }, patterns),
      fetch: async () => await live(sim.between(20, 300), () => undefined),
      async push([update], _atomic) {
        const { ref, to = "", expected } = update as { ref: string; to: string; expected?: string };
        const fault = sim.chance(remote.faulty) ? sim.pick(faults) : undefined;
        const go = () => {
          const refusal = move(ref, to, expected);
          remote.carriedOut(process, fault === "slow");
          return refusal;
        };
        switch (fault) {
          case undefined:
            return await live(sim.between(50, 500), go);
          case "lostAck":
            await live(sim.between(50, 500), go);
            return await live(100, () => "fatal: the remote end hung up unexpectedly");
          case "late":
            // Executed after its sender has given up.
            sim.after(sim.between(1_000, 60_000), () => void go());
            return await live(1_000, () => "it does not answer");
          case "slow": {
            // Executed long before its sender learns of it; meanwhile the sender keeps recording.
            const result = await live(sim.between(50, 500), go);
            return await live(sim.between(1_000, 15_000), () => result);
          }
          case "reject":
            return await live(100, () => `! [remote rejected] ${ref} (cannot lock ref)`);
          case "hang":
            return await live(20_000, () => "it does not answer");
          default:
            return await live(100, () => `error: RPC failed; HTTP ${fault}`);
        }
      },
      writeCommit(step) {
        const { before, run, epoch, nonce, owner, lines, at } = step;
        made += 1;
        const head = {
          v: 1 as const,
          run,
          seq: (before?.head.seq ?? 0) + 1,
          epoch,
          nonce,
          owner,
          started: before?.head.started ?? at,
          lines: (before?.head.lines ?? 0) + lines.length,
          digest: digestOf(before?.head.digest, Buffer.from(lines.join("\n"))),
        };
        const link: LogCommit = { id: `commit-${made}`, head, lines };
        const earlier = before === undefined ? undefined : commits.get(before.id);
        commits.set(link.id, {
          link,
          parent: before?.id,
          lines: [...(earlier?.lines ?? []), ...lines],
          isEnd: earlier?.isEnd === true || lines.some((line) => line.includes('"type":"run.ended"')),
        });
        return link;
      },
      async readCommits(_run, { before, tip: to }) {
        const links = chain(to);
        const from = before === undefined ? 0 : links.findIndex(({ id }) => id === before.id) + 1;
        if (before !== undefined && from === 0) throw new Error(`${to} does not follow ${before.id}`);
        return links.slice(from);
      },
      hasCommit: async () => true,
      deepen: async () => false,
      retries() {
        const end = sim.now() + 120_000;
        let pause = 100;
        return {
          async next(input) {
            if (sim.now() + pause > end) throw new RemoteError(`the host cannot be reached (${input})`);
            await live(pause * (0.2 + sim.random() * 0.8), () => undefined);
            pause = Math.min(pause * 2, 5_000);
          },
        };
      },
    }),
  };
  return remote;
}

interface Listing {
  readonly sim: Sim;
  readonly remote: FakeRemote;
  readonly refs: ReadonlyMap<string, string>;
  readonly live: <T>(ms: number, act: () => T) => Promise<T>;
}

/** Repeats failed exchanges, like git's caller. */
async function list({ sim, remote, refs, live }: Listing, patterns: readonly string[]) {
  const prefixes = patterns.map((pattern) => pattern.slice(0, -1));
  const isAsked = (name: string) => prefixes.some((prefix) => name.startsWith(prefix));
  for (let left = 9; left > 0; left -= 1) {
    const fault = sim.chance(remote.faulty) ? sim.pick(faults) : undefined;
    if (fault === undefined)
      return await live(sim.between(20, 300), () => new Map([...refs].filter(([name]) => isAsked(name))));
    await live(fault === "hang" ? 20_000 : 1_000, () => undefined);
  }
  throw new RemoteError("the host cannot be reached to keep the run");
}
