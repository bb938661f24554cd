import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { RefUpdateCommand } from "../../src/git/push-commands.ts";
import { NotThereError, RemoteError } from "../../src/git/remote.ts";
import { digestOf, type LogCommit, type Step } from "../../src/stores/git/commit-log.ts";
import type { LogHost } from "../../src/stores/git/log-host.ts";
import type { OpenGitRun } from "../../src/stores/git/open-run.ts";
import type { RemoteRun } from "../../src/stores/git/run-refs.ts";
import { logStoreOver } from "../../src/stores/git-ref.ts";

export const run = "run-001";
export const stateRef = `refs/until-green/${run}/state`;
export const workRef = `refs/until-green/${run}/work`;

/** What a push is answered with: a text; or `undefined` to do it, and to report success. */
type Answer = string | undefined | ((updates: readonly RefUpdateCommand[]) => string | undefined);

/** A git host in memory, whose answers a test scripts. Commits are `c…1`, `c…2` and so on. */
export function scriptedHost() {
  const refs = new Map<string, string>();
  const commits = new Map<string, { readonly link: LogCommit; readonly step: Step }>();
  const it = {
    refs,
    /** The next answers to pushes; when there are none left, pushes succeed. */
    answers: [] as Answer[],
    pushes: [] as { readonly updates: readonly RefUpdateCommand[]; readonly atomic: boolean }[],
    fetches: [] as (readonly [string, string | undefined])[],
    /** The texts after which a push was tried again. */
    waits: [] as string[],
    mostWaits: 3,
    lost: new Set<string>(),
    canDeepen: false,
    /** Called before refs are listed; may throw. */
    listing: () => {},
    /** Called before commits are fetched; may throw. */
    fetching: () => {},
    step: (id: string) => commits.get(id)?.step,
    /** What another writer appends to the chain at a ref. */
    append(lines: readonly string[], more: Partial<Step> = {}, ref = stateRef): LogCommit {
      const before = commits.get(refs.get(ref) ?? "")?.link;
      const link = host.writeCommit({ before, lines, run, epoch: 9, at: "then", ...more } as Step);
      refs.set(ref, link.id);
      return link;
    },
    /** Carries out a push as the host does. */
    carryOut(updates: readonly RefUpdateCommand[]): string {
      const late = updates.find(({ ref, expected }) => refs.get(ref) !== expected);
      if (late !== undefined) return `! [rejected] ${late.ref} (stale info)`;
      for (const { ref, to } of updates) if (to === "" ? refs.delete(ref) : refs.set(ref, to)) continue;
      return "";
    },
  };
  const host: LogHost = {
    async listRefs(patterns) {
      it.listing();
      const fits = (name: string) =>
        patterns.some((pattern) =>
          pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
        );
      return new Map([...refs].filter(([name]) => fits(name)));
    },
    async fetch(ref, known) {
      it.fetches.push([ref, known]);
      it.fetching();
      const tip = refs.get(ref) ?? "";
      if (!commits.has(tip) || it.lost.has(tip)) throw new NotThereError("not our ref");
    },
    async push(updates, atomic) {
      it.pushes.push({ updates, atomic });
      const next = it.answers.shift();
      const text = typeof next === "function" ? next(updates) : next;
      return text ?? it.carryOut(updates);
    },
    writeCommit(step) {
      const { before, run, epoch, nonce = "n", owner = "other", lines, at } = step;
      const head = {
        ...{ v: 1 as const, run, seq: (before?.head.seq ?? 0) + 1, epoch, nonce, owner },
        started: before?.head.started ?? at,
        lines: (before?.head.lines ?? 0) + lines.length,
        digest: digestOf(before?.head.digest, Buffer.from(lines.join("\n"))),
        ...(step.work === undefined ? {} : { work: step.work }),
        ...(step.status === undefined ? {} : { status: step.status }),
      };
      const link = { id: String(commits.size + 1).padStart(40, "c"), head, lines };
      commits.set(link.id, { link, step });
      return link;
    },
    async readCommits(_, { before, tip }) {
      const links: LogCommit[] = [];
      for (let at = commits.get(tip); at !== undefined && at.link.id !== before?.id; ) {
        links.unshift(at.link);
        at = commits.get(at.step.before?.id ?? "");
      }
      return links;
    },
    hasCommit: async (id) => !it.lost.has(id),
    deepen: async () => it.canDeepen,
    retries: () => ({
      async next(text) {
        it.waits.push(text);
        if (it.waits.length > it.mostWaits) throw new RemoteError("patience ran out");
      },
    }),
  };
  return Object.assign(it, { host });
}

export type ScriptedHost = ReturnType<typeof scriptedHost>;

/** Time that only passes when a test lets it. */
export function manualTimer() {
  let now = 0;
  let rings: { readonly at: number; readonly ring: () => void }[] = [];
  return {
    elapsed: () => now,
    after(ms: number, ring: () => void) {
      const one = { at: now + ms, ring };
      rings.push(one);
      return () => {
        rings = rings.filter((other) => other !== one);
      };
    },
    /** The times until the next rings. */
    waiting: () => rings.map(({ at }) => at - now),
    async pass(ms: number) {
      now += ms;
      const due = rings.filter(({ at }) => at <= now);
      rings = rings.filter(({ at }) => at > now);
      for (const { ring } of due) ring();
      // What follows needs no time of its own.
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    },
  };
}

interface Machine {
  readonly host: ScriptedHost;
  readonly timer?: ReturnType<typeof manualTimer>;
  /** The folder of the run on the machine; each has its own unless a test passes one. */
  readonly dir?: string;
  readonly gitDir?: string;
  readonly admitted?: readonly ("read" | "write")[];
}

export function machineFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), "scripted-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A run as one process knows it, before it has read anything. */
export function recordOf(machine: Machine): RemoteRun {
  const { host, timer = manualTimer(), dir = machineFolder(), gitDir = dir, admitted = ["read"] } = machine;
  return {
    ...{ runId: run, dir, gitDir, timer, host: host.host, format: "sha1", space: "refs/until-green" },
    remote: { name: "the-host", admitted: new Set(admitted) } as never,
    ...{ looked: undefined, tip: undefined, work: undefined, inFlight: undefined, key: undefined },
    ...{ lines: [], counts: new Map(), pending: [], undone: [] },
  };
}

/** A process that drives the run, or only reads it. */
export function processOf(machine: Machine, rhythm = { pushMs: 10_000, lookMs: 5_000 }) {
  const timer = machine.timer ?? manualTimer();
  const record = recordOf({ ...machine, timer });
  let last: Promise<unknown> = Promise.resolve();
  let marked = 0;
  const run: OpenGitRun = {
    record,
    held: undefined,
    alone(work) {
      const next = last.then(work, work);
      last = next;
      return next;
    },
    baggage: () => ({ owner: "me", sources: [], notice: () => undefined }),
    folder: {
      packed: () => ({}),
      marked: () => {
        marked += 1;
      },
    } as never,
    described: undefined,
    status: undefined,
  };
  return { record, run, timer, marked: () => marked, store: logStoreOver(async () => run, rhythm) };
}
