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

/** All that sets one agent's command-line program apart from the others. */
export interface CliDefinition {
  /** The agent's name in workflows. */
  readonly name: string;
  /** Names of providers by which other languages mean this agent. */
  readonly providers?: readonly string[];
  readonly program: CliProgram;
  /** Where it finds a key, best first. */
  readonly keys: readonly KeySource[];
  /** Whether it has a login on this machine, so that it needs no key. */
  hasLogin(environment: Environment): boolean;
  /** Its own folder, if a variable can move it: a run then gives it a private one. */
  readonly home?: ConfigFolder;
  /** The hosts of its model with a login of its own, which a network wall lets it reach then. */
  readonly hosts?: readonly string[];
  /** Further folders and files in which it may write behind walls too. Folders are made. */
  state?(environment: Environment): readonly string[];
  /** The signal that stops it, and the time before SIGKILL; together under 5 s. */
  readonly stop: { readonly signal: NodeJS.Signals; readonly graceMs: number };
  /** True if it reports the usage of the whole conversation instead of one call. */
  readonly totals: { readonly tokens: boolean; readonly cost: boolean };
  readonly sessions: Sessions;
  /** How it says, on standard error or as its trouble, that it does not know the conversation it should continue. */
  readonly lostSession?: RegExp;
  /** Whether it has a flag for a schema; else it submits results by the loop's tool. */
  readonly structured: StructuredBy;
  /** Names in a checkout, at any depth, that it obeys regardless of its options: they are moved aside while it runs. */
  readonly obeys?: readonly string[];
  /** The same, of what instructs it: for who judges, where no switch keeps it from that. */
  readonly instructedBy?: readonly string[];
  /** It can be kept from changing anything, and from nothing else. */
  readonly limitsOnlyWriting?: true;
  /** Makes this machine ready for one call of it; answers what undoes that. */
  prepare?(environment: Environment): () => void;
  /** One call of it. */
  begin(turn: CliInvocation): CliProcess | Promise<CliProcess>;
}

/** What most programs share: a key instead of a login, an end at SIGTERM, the usage of each call, the loop's tools. */
export const usualProgram = {
  hasLogin: () => false,
  stop: { signal: "SIGTERM", graceMs: 2000 },
  totals: { tokens: false, cost: false },
  structured: "submit_result",
} as const satisfies Partial<CliDefinition>;

/** How a program is found, and which of its versions this was made for. */
export interface CliProgram {
  /** As it is on the PATH. */
  readonly name: string;
  /** The npm package that has it. */
  readonly package: string;
  /** The program itself below `node_modules`, where the package's command only starts it. */
  readonly native?: readonly string[];
  /** The first version that is known to work, and the first major version that is not. */
  readonly from: string;
  readonly below: string;
  /** The version that our tests run; installed if there is none. */
  readonly tested?: string;
}

/** A variable with a key, and how the key proxy leases it; without a lease the key is passed to the CLI. */
export interface KeySource {
  readonly variable: string;
  /** Whether it gives access to the model, `undefined` being the CLI's own choice; default always. */
  serves?(model: string | undefined, environment: Environment): boolean;
  readonly lease?: {
    readonly wire: ProviderProtocol;
    /** The setting of the endpoint, and its default. */
    readonly upstream: { readonly variable: string; readonly usual: string };
    readonly header: { readonly name: string; readonly prefix?: string };
  };
}

/** Where the CLI is to send its requests, and with which key. */
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
  /** The text of standard input, without the instructions. */
  readonly prompt: string;
  /** The conversation: its id, which we choose for a new one if the CLI allows it, and whether it continues. */
  readonly session: { readonly id: string; readonly goesOn: boolean };
  /** The program's own folder; empty if no variable names it. */
  readonly home: string;
  /** The user's own arguments. */
  readonly extra: readonly string[];
  readonly environment: Environment;
  /** The user said that what the checkout configures may count. */
  readonly trusts: boolean;
  /** Whether files of the checkout may instruct it, such as AGENTS.md: not one that judges who writes there. */
  readonly heeds: boolean;
  /** `undefined` if it uses its own login, or a key that is passed to it. */
  readonly endpoint: Endpoint | undefined;
  /** The server of the loop's tools. */
  readonly server: Server | undefined;
  readonly scratch: PrivateTempDir;
  /** Shows the agent's output live. */
  say(text: string): void;
  /** Records the conversation as soon as its id is known, so that an interrupted turn can continue. */
  began(session: string | undefined): void;
  /** Tells people which tool it calls. */
  tool(name: string, input: unknown): void;
  /** Ends the call at once: continuing cannot help. */
  giveUp(trouble: ProviderError): void;
}

/** An MCP server that is spoken to by HTTP. */
export interface Server {
  readonly url: string;
  /** The bearer token that opens it. */
  readonly key: string;
  readonly tools: readonly LoopTool[];
}

/** A started call: how to start it, and a reader of its events. */
export interface CliProcess {
  readonly args: readonly string[];
  /** Added to the environment; `undefined` takes a variable away. */
  readonly env: Environment;
  /** Put before the prompt on standard input. */
  readonly preface?: string | undefined;
  read(event: JsonObject): void;
  /** The result of the events, after the process has ended. */
  result(end: ProcessEnd): CliResult | Promise<CliResult>;
}

/** The result of a call. */
export interface CliResult {
  /** The final message, or the text so far if there is none. */
  readonly text: string;
  /** It said itself that its turn is over and went well; an exit code is not believed. */
  readonly ended: boolean;
  readonly session?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly result?: Json | undefined;
  readonly trouble?: ProviderError | undefined;
  /** Its version, if it reports it. */
  readonly version?: string | undefined;
}

/** How a CLI's session files are copied to where they are needed. */
export interface Sessions {
  /** Whether a session can continue on another machine and in another checkout. */
  readonly travel: boolean;
  /** Copies it into an empty folder; returns false if there is none. */
  keep(session: SessionPlace): boolean | Promise<boolean>;
  /** Whether the CLI knows the conversation here, also in the middle of a turn. */
  isHere(session: SessionPlace): boolean | Promise<boolean>;
  /** Puts it back where the CLI looks; answers whether the CLI should know it now. `folder` may not exist. */
  bring(session: SessionPlace): boolean | Promise<boolean>;
}

export interface SessionPlace {
  readonly id: string;
  readonly folder: string;
  readonly workspace: string;
  /** The run's folder for files; names that begin with a dot stay on this machine. */
  readonly artifacts: string;
  readonly environment: Environment;
  /** The program's own folder; empty if no variable names it. */
  readonly home: string;
  /** Starts the program behind the walls of its turns; whether it ended well. */
  run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<boolean>;
}
