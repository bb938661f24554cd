import type { AgentContext, AgentRequest, Usage } from "../../../ports/agent.ts";
import type { Json } from "../../../ports/json.ts";
import type { Environment } from "../../environment.ts";
import type { ProcessEnd } from "../../process.ts";
import type { Trouble } from "../../relay/fault.ts";
import type { Wire } from "../../relay/loan.ts";
import type { Scratch } from "../../scratch.ts";
import type { StructuredBy } from "../choice.ts";
import type { JsonObject } from "./json-lines.ts";

/** All that sets one agent's command-line program apart from the others. */
export interface Cli {
  /** The agent's name in workflows. */
  readonly name: string;
  readonly program: Program;
  /** Where it finds a key, best first. */
  readonly keys: readonly KeySource[];
  /** Whether somebody has logged in to it here, so that it needs no key of ours. */
  hasLogin(environment: Environment): boolean;
  /** What it heeds, and how long it is given before SIGKILL; together under 5 s. */
  readonly stop: { readonly signal: NodeJS.Signals; readonly graceMs: number };
  /** After how many failures of its model in a row it is ended, where it has no switch for that; never, unless told. */
  readonly tries?: number;
  /** Whether what it reports as used is of the whole conversation, and not of one call. */
  readonly totals: { readonly tokens: boolean; readonly cost: boolean };
  readonly sessions: Sessions;
  /** Whether a flag of its own holds it to a schema; else it hands results in by the loop's tool. */
  readonly structured: StructuredBy;
  /** Names in a checkout, at any height, that it would obey whatever it is told: they are moved aside while it works. */
  readonly obeys?: readonly string[];
  /** The same, of what instructs it: for who judges, where no switch keeps it from that. */
  readonly instructedBy?: readonly string[];
  /** Makes this machine ready for one call of it; answers what undoes that. */
  prepare?(environment: Environment): () => void;
  /** One call of it. */
  begin(turn: Turn): Call | Promise<Call>;
}

/** How a program is found, and which of its versions this was made for. */
export interface Program {
  /** As it is on the PATH. */
  readonly name: string;
  /** The npm package that has it. */
  readonly package: string;
  /** The program itself below `node_modules`, where the package's command only starts it. */
  readonly native?: readonly string[];
  /** The first version that is known to work, and the first major version that is not. */
  readonly from: string;
  readonly below: string;
}

/** A variable with a key, and how our relay lends what it opens; one without a loan is handed to the CLI as it is. */
export interface KeySource {
  readonly variable: string;
  /** Whether it opens the way to a model, `undefined` being the CLI's own choice; always, unless told. */
  serves?(model: string | undefined, environment: Environment): boolean;
  readonly loan?: {
    readonly wire: Wire;
    /** Where the endpoint is configured, and where it is if it is not. */
    readonly upstream: { readonly variable: string; readonly usual: string };
    readonly header: { readonly name: string; readonly prefix?: string };
  };
}

/** Where the CLI is to send its requests, and with which key. */
export interface Endpoint {
  readonly baseUrl: string;
  /** What stands in for the real key. */
  readonly key: string;
  /** The variable the key came from. */
  readonly variable: string;
}

/** One question to the agent. */
export interface Turn {
  readonly request: AgentRequest;
  readonly context: AgentContext;
  /** What standard input is going to say; the instructions are not in it. */
  readonly prompt: string;
  /** The conversation: its id, which a new one may take if the CLI lets us choose, and whether it goes on. */
  readonly session: { readonly id: string; readonly goesOn: boolean };
  /** The user's own arguments. */
  readonly extra: readonly string[];
  readonly environment: Environment;
  /** The user said that what the checkout configures may count. */
  readonly trusts: boolean;
  /** Whether files of the checkout may instruct it, such as AGENTS.md: not one that judges who writes there. */
  readonly heeds: boolean;
  /** `undefined` where its own login serves, or a key it is handed as it is. */
  readonly endpoint: Endpoint | undefined;
  /** The server of the loop's tools. */
  readonly server: Server | undefined;
  readonly scratch: Scratch;
  /** Tells people what it says, as it speaks. */
  say(text: string): void;
  /** Ends the call at once: going on cannot help. */
  giveUp(trouble: Trouble): void;
}

/** An MCP server that is spoken to by HTTP. */
export interface Server {
  readonly url: string;
  /** The bearer token that opens it. */
  readonly key: string;
  /** The names of its tools. */
  readonly tools: readonly string[];
}

/** A started call: how to start it, and a reader of its events. */
export interface Call {
  readonly args: readonly string[];
  /** Added to the environment; `undefined` takes a variable away. */
  readonly env: Environment;
  /** Put before the prompt on standard input. */
  readonly preface?: string | undefined;
  read(event: JsonObject): void;
  /** What the events came to, once the process is gone. */
  heard(end: ProcessEnd): Heard | Promise<Heard>;
}

/** What a call came to. */
export interface Heard {
  /** The final message, or what had been said when there is none. */
  readonly text: string;
  /** It said itself that its turn is over and went well; an exit code is not believed. */
  readonly ended: boolean;
  readonly session?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly result?: Json | undefined;
  readonly trouble?: Trouble | undefined;
  /** It does not know the conversation it was to go on with. */
  readonly lost?: boolean | undefined;
  /** Its version, where it tells. */
  readonly version?: string | undefined;
}

/** How what a CLI keeps of a conversation is carried to where it is needed. */
export interface Sessions {
  /** Whether what is kept can be gone on with on another machine and in another checkout. */
  readonly travel: boolean;
  /** Copies it into an empty folder; answers false where there is nothing of it. */
  keep(place: SessionPlace): boolean | Promise<boolean>;
  /** Puts it back where the CLI looks; answers whether the CLI should know it now. `folder` may not exist. */
  bring(place: SessionPlace): boolean | Promise<boolean>;
}

export interface SessionPlace {
  readonly id: string;
  readonly folder: string;
  readonly workspace: string;
  /** The run's folder for files; names that begin with a dot stay on this machine. */
  readonly artifacts: string;
  /** The program itself, where it has to be asked. */
  readonly program: string;
  readonly environment: Environment;
}
