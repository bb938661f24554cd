import { z } from "zod";
import type { Infer } from "./infer.ts";

/**
 * Isolation of programs: `auto` uses every wall available here, `required` refuses to run if one is missing, `off`
 * uses none.
 */
export const isolationModes = ["auto", "required", "off"] as const;

export type IsolationMode = (typeof isolationModes)[number];

/** A program and how it is started. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Its complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Files and folders besides the checkout that it may write, such as those for an agent's conversations. */
  readonly writable?: readonly string[] | undefined;
  /** Files and folders that it may read besides; what does not exist is skipped. */
  readonly readable?: readonly string[] | undefined;
  /** Its temporary folders are new, so that it finds nothing there from other programs of the run. */
  readonly isFresh?: boolean | undefined;
  /** Our own folders inside those, which it may only read: we write there without isolation. */
  readonly kept?: readonly string[] | undefined;
  /** Local ports that it needs regardless of the network rule: those of the key proxy and its tools. */
  readonly loopback?: readonly number[] | undefined;
  /** Hosts that it needs regardless of the network rule: its model's, if it bypasses the key proxy. */
  readonly hosts?: readonly string[] | undefined;
}

/** A program to start with isolation. */
export interface WalledLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Ends the processes outside that serve it; returns a notice if something had to be repaired. */
  close?(): string | undefined;
}

/** The author's isolation settings of a workflow, a node, or a check. */
export const wallSettings = z.strictObject({
  isolation: z.enum(isolationModes).exactOptional(),
  /** A `NetworkRule`. */
  network: z.array(z.string()).exactOptional(),
  /** Further paths that programs may read, or write. */
  show: z.array(z.string()).exactOptional(),
  write: z.array(z.string()).exactOptional(),
});

export type WallSettings = Infer<typeof wallSettings>;

/** One wall: an isolation of a program from other processes, files, or the network. */
export interface Wall {
  readonly name: "processes" | "files" | "network";
  readonly on: boolean;
  /** How it works; if it is missing, why, and what an agent can do without it. */
  readonly detail: string;
  /** True if it is off because nobody asked for it. */
  readonly open?: true;
  /** How to enable it on this machine. */
  readonly remedy?: string;
}

/** Starts agents, scripts and checks with isolation. */
export interface Isolation {
  /** The walls of this machine, detected once. */
  walls(): Promise<readonly Wall[]>;
  /** Hosts that programs were refused so far, at most 20. */
  refusedHosts(): readonly string[];
  /** How to start a program with isolation. Throws `IsolationError` if a required wall is missing. */
  wrap(launch: Launch, settings?: WallSettings): Promise<WalledLaunch>;
}

/** Isolation for the programs started for one answer. */
export interface Walled {
  /** Returns how to start a program of this node; without it, programs start unchanged. */
  wrap?(launch: Launch): Promise<WalledLaunch>;
}

/** A required wall is not available on this machine: nothing was started. */
export class IsolationError extends Error {
  override readonly name = "IsolationError";
}
