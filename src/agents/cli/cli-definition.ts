import type { ProviderProtocol } from "../../key-proxy/lease.ts";
import type { ProviderError } from "../../key-proxy/provider-errors.ts";
import type { AgentContext, AgentRequest, Usage } from "../../ports/agent.ts";
import type { Json } from "../../ports/json.ts";
import type { Environment } from "../../processes/environment.ts";
import type { PrivateTempDir } from "../../processes/private-temp-dir.ts";
import type { ProcessEnd } from "../../processes/process.ts";
import type { LoopTool } from "../loop-tools.ts";
import type { StructuredBy } from "../select-agent.ts";
import type { ConfigFolder } from "./config-folder.ts";
import type { JsonObject } from "./json-lines.ts";

/** Everything that distinguishes one agent program from the others. */
export interface CliDefinition {
  /** The agent's name in workflows. */
  readonly name: string;
  /** Provider names in other languages that mean this agent. */
  readonly providers?: readonly string[];
  readonly program: CliProgram;
  /** Where its key can be found, best first. */
  readonly keys: readonly KeySource[];
  /** True if it has a login on this machine, so that it needs no key. */
  hasLogin(environment: Environment): boolean;
  /** Its own folder, if a variable can move it: each run then gets a private one. */
  readonly home?: ConfigFolder;
  /** The hosts it needs when it uses its own login; a network rule allows them then. */
  readonly hosts?: readonly string[];
  /** More folders and files that it may write inside its isolation. Folders are created. */
  state?(environment: Environment): readonly string[];
  /** The signal that stops it, and the time before SIGKILL; less than 5 s in total. */
  readonly stop: { readonly signal: NodeJS.Signals; readonly graceMs: number };
  /** True if it reports the usage of the whole conversation instead of one call. */
  readonly totals: { readonly tokens: boolean; readonly cost: boolean };
  readonly sessions: Sessions;
  /** Matches its message, on stderr or as an error, that the conversation to continue is unknown. */
  readonly lostSession?: RegExp;
  /** How it submits a structured result: by its own flag for a schema, or by the loop's tool. */
  readonly structured: StructuredBy;
  /** Names in a checkout, at any depth, that it follows whatever its options: moved aside while it runs. */
  readonly configPaths?: readonly string[];
  /** The same for instructions, when it judges and no option keeps it from reading them. */
  readonly instructionPaths?: readonly string[];
  /** True if it can be made read-only, but not restricted in any other way. */
  readonly limitsOnlyWriting?: true;
  /** Prepares this machine for one call; returns a function that undoes it. */
  prepare?(environment: Environment): () => void;
  /** One call of it. */
  begin(turn: CliInvocation): CliProcess | Promise<CliProcess>;
}

/** Defaults of most programs: a key instead of a login, an end at SIGTERM, usage per call, the loop's tools. */
export const usualProgram = {
  hasLogin: () => false,
  stop: { signal: "SIGTERM", graceMs: 2000 },
  totals: { tokens: false, cost: false },
  structured: "submit_result",
} as const satisfies Partial<CliDefinition>;

/** How to find a program, and which versions are supported. */
export interface CliProgram {
  /** Its name on the PATH. */
  readonly name: string;
  /** Its npm package. */
  readonly package: string;
  /** The program itself below `node_modules`, if the package's command only starts it. */
  readonly native?: readonly string[];
  /** The first version known to work, and the first major version that is not supported. */
  readonly from: string;
  readonly below: string;
  /** The version that our tests use; installed if there is none. */
  readonly tested?: string;
}

/** A variable with a key, and how the key proxy leases it; without a lease the key is passed to the CLI. */
export interface KeySource {
  readonly variable: string;
  /** Whether it gives access to the model (`undefined`: the program's own choice); default always. */
  serves?(model: string | undefined, environment: Environment): boolean;
  readonly lease?: {
    readonly wire: ProviderProtocol;
    /** The variable with the endpoint, and its default. */
    readonly upstream: { readonly variable: string; readonly usual: string };
    readonly header: { readonly name: string; readonly prefix?: string };
    /** Headers that the endpoint wants besides the key, in lower case. */
    readonly besides?: Readonly<Record<string, string>>;
  };
}

/** Where the program sends its requests, and with which key. */
export interface Endpoint {
  readonly baseUrl: string;
  /** The temporary key. */
  readonly key: string;
  /** The variable the key came from. */
  readonly variable: string;
}

/** One question to the agent. */
export interface CliInvocation {
  readonly request: AgentRequest;
  readonly context: AgentContext;
  /** The text for stdin, without the instructions. */
  readonly prompt: string;
  /**
   * The conversation: its id, which we choose for a new one if the program allows it, and whether it is continued.
   */
  readonly session: { readonly id: string; readonly isContinued: boolean };
  /** The program's own folder; empty if no variable names it. */
  readonly home: string;
  /** The user's own arguments. */
  readonly extra: readonly string[];
  readonly environment: Environment;
  /** True if the user allows the checkout's own configuration. */
  readonly trusts: boolean;
  /** True if files of the checkout, such as AGENTS.md, may instruct it; false for a judge. */
  readonly followsInstructions: boolean;
  /** `undefined` if it uses its own login, or a key that is passed on. */
  readonly endpoint: Endpoint | undefined;
  /** The server of the loop's tools. */
  readonly server: Server | undefined;
  readonly scratch: PrivateTempDir;
  /** Shows output of the agent live. */
  say(text: string): void;
  /** Records the conversation as soon as its id is known, so that an interrupted turn can continue. */
  began(session: string | undefined): void;
  /** Reports a tool call. */
  tool(name: string, input: unknown): void;
  /** Reports the usage of this start of the program so far; missing if the key proxy counts it. */
  readonly spends: ((usage: Usage) => void) | undefined;
  /** Ends the call immediately, because continuing cannot help. */
  giveUp(error: ProviderError): void;
}

/** An MCP server over HTTP. */
export interface Server {
  readonly url: string;
  /** The bearer token for access. */
  readonly key: string;
  readonly tools: readonly LoopTool[];
}

/** A started call: how to start it, and a reader of its events. */
export interface CliProcess {
  readonly args: readonly string[];
  /** Variables to add to the environment; `undefined` removes one. */
  readonly env: Environment;
  /** Text before the prompt on stdin. */
  readonly preface?: string | undefined;
  read(event: JsonObject): void;
  /** The result, once the process has ended. */
  result(end: ProcessEnd): CliResult | Promise<CliResult>;
}

/** The result of a call. */
export interface CliResult {
  /** The final message, or the text so far if there is none. */
  readonly text: string;
  /** True if it reported a successful end of its turn; the exit code is not trusted. */
  readonly ended: boolean;
  readonly session?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly result?: Json | undefined;
  readonly trouble?: ProviderError | undefined;
  /** Its version, if it reports it. */
  readonly version?: string | undefined;
}

/** How a program's session files are copied between places. */
export interface Sessions {
  /** True if a session can continue on another machine and in another checkout. */
  readonly travel: boolean;
  /** Copies a session into an empty folder; returns false if there is none. */
  keep(session: SessionPlace): boolean | Promise<boolean>;
  /** True if the program knows the conversation here, even in the middle of a turn. */
  isHere(session: SessionPlace): boolean | Promise<boolean>;
  /**
   * Copies it back to where the program looks; returns true if the program should know it now. `folder` may not
   * exist.
   */
  bring(session: SessionPlace): boolean | Promise<boolean>;
}

export interface SessionPlace {
  readonly id: string;
  readonly folder: string;
  readonly workspace: string;
  /** The run's folder for files; names that start with a dot are not copied to other machines. */
  readonly artifacts: string;
  readonly environment: Environment;
  /** The program's own folder; empty if no variable names it. */
  readonly home: string;
  /** Runs the program with the isolation of its turns; true if it succeeded. */
  run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<boolean>;
}
