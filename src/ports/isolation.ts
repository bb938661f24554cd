import { z } from "zod";
import type { Infer } from "./infer.ts";

/**
 * Isolation of programs: `auto` uses every wall that works here, `required` refuses to run without, `off` uses none.
 */
export const isolationModes = ["auto", "required", "off"] as const;

export type IsolationMode = (typeof isolationModes)[number];

/** A program and what it is started with. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Files and folders besides the checkout in which it may write: where an agent keeps its conversations. */
  readonly writable?: readonly string[] | undefined;
  /** Folders of ours in those places, which it may only read: we write there while no wall keeps us from anything. */
  readonly kept?: readonly string[] | undefined;
  /** Ports of this machine that it needs regardless of the network rule: those of the key proxy and of its tools. */
  readonly loopback?: readonly number[] | undefined;
  /** Hosts that it needs regardless of the network rule: its model's, if it does not use the key proxy. */
  readonly hosts?: readonly string[] | undefined;
}

/** A program to start behind walls. */
export interface WalledLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Ends what serves it outside; a notice for people if something had to be put right. */
  close?(): string | undefined;
}

/** The author's settings for walls: for a workflow, a node, or its check. */
export const wallSettings = z.strictObject({
  isolation: z.enum(isolationModes).exactOptional(),
  /** A `NetworkRule`. */
  network: z.array(z.string()).exactOptional(),
});

export type WallSettings = Infer<typeof wallSettings>;

/** One wall: what keeps a program from other processes, from files, or from the network. */
export interface Wall {
  readonly name: "processes" | "files" | "network";
  readonly on: boolean;
  /** How it is built; if it is missing, why, and what an agent can do without it. */
  readonly detail: string;
  /** Nobody asked for it. */
  readonly open?: true;
  /** How to enable it on this machine. */
  readonly remedy?: string;
}

/** Starts agents, scripts and checks behind walls. */
export interface Isolation {
  /** The walls of this machine, found out once. */
  walls(): Promise<readonly Wall[]>;
  /** The hosts that programs asked for so far and were refused, at most 20. */
  refusedHosts(): readonly string[];
  /** How to start a program behind them. Throws `IsolationError` if a required wall is missing. */
  wrap(launch: Launch, settings?: WallSettings): Promise<WalledLaunch>;
}

/** The programs started for one answer, and their walls. */
export interface Walled {
  /** How to start a program of this node; unchanged if there is none. */
  wrap?(launch: Launch): Promise<WalledLaunch>;
}

/** A wall is required that this machine cannot build: nothing was started. */
export class IsolationError extends Error {
  override readonly name = "IsolationError";
}
