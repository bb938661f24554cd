import { env } from "node:process";
import {
  type Agent,
  type AgentAnswer,
  type AgentContext,
  AgentError,
  type AgentRequest,
} from "../../../ports/agent.ts";
import { findAside, setAside } from "../../aside.ts";
import { agentEnvironment, type Environment } from "../../environment.ts";
import { type ProcessEnd, runProcess } from "../../process.ts";
import { isPassing, type Trouble } from "../../relay/fault.ts";
import { openScratch, type Scratch } from "../../scratch.ts";
import { openToolbox, type Toolbox } from "../toolbox.ts";
import { answerOf, type Ended } from "./answer.ts";
import type { Call, Cli, Turn } from "./cli.ts";
import { type Conversation, openConversation } from "./conversation.ts";
import { type Reach, reachModel } from "./endpoint.ts";
import { jsonLines } from "./json-lines.ts";
import { type FoundProgram, findProgram, strangeVersion } from "./program.ts";
import { promptFor } from "./prompt.ts";
import type { Rates } from "./spent.ts";

export interface CliAgentOptions {
  /** The variables to find its program and key in; this process's own unless told. */
  readonly environment?: Environment;
  /** A folder with a `node_modules` of its own, or several, looked into before the PATH. */
  readonly installed?: string | readonly string[] | undefined;
  /** The user's own arguments for the program. */
  readonly args?: readonly string[] | undefined;
  /** The version the user asked for, exactly. */
  readonly version?: string | undefined;
  /** How long what it started may run on when its turn is over, in milliseconds. */
  readonly afterMs?: number | undefined;
}

/** A command-line program as an agent: each answer is one start of it. */
export function cliAgent(cli: Cli, options: CliAgentOptions = {}): Agent {
  const { environment = env } = options;
  const warned = new Set<string>();
  const rates: Rates = new Map();
  return {
    name: cli.name,
    async answer(request, context) {
      context.signal.throwIfAborted();
      const program = findProgram(cli.program, { environment, installed: options.installed });
      checkVersion(cli, program, options.version);
      const asked = { cli, request, context, environment, program, options, rates };
      const names = [...(cli.obeys ?? []), ...(heeds(asked) ? [] : (cli.instructedBy ?? []))];
      const putBack = await setAside(context.workspace, trusts(environment) ? [] : names);
      const aside = findAside(context.workspace, names);
      const undo = cli.prepare?.(environment);
      const { answer, ended } = await answered(asked).finally(undo).finally(putBack);
      const notices = [...once({ ...ended, aside }, asked), ...(answer.notices ?? [])];
      return notices.length === 0 ? answer : { ...answer, notices };
    },
  };

  /** What need not be said at each call. */
  function once({ heard, ownKey, aside }: Seen, { program }: Asked): NonNullable<AgentAnswer["notices"]> {
    const strange = strangeVersion(cli.program, heard.version ?? program.version);
    const notices = [
      ...(strange === undefined ? [] : [{ code: "AGENT_VERSION", message: strange }]),
      ...(ownKey === undefined ? [] : [{ code: "AGENT_HOLDS_KEY", message: holdsKey(cli, ownKey) }]),
      ...(aside.length === 0 ? [] : [{ code: "MOVED_ASIDE", message: movedAside(cli, aside) }]),
    ].filter(({ message }) => !warned.has(message));
    for (const { message } of notices) warned.add(message);
    return notices;
  }
}

interface Seen extends Ended {
  /** The files of the checkout that were aside meanwhile. */
  readonly aside: readonly string[];
}

async function answered(asked: Asked) {
  const { ended, conversation } = await ask(asked);
  return { answer: await answerOf(ended, { ...asked, conversation }), ended };
}

/** Whether what the checkout configures may count; set by the user, as no workflow file may decide it. */
const trusts = (environment: Environment) => environment["UNTIL_GREEN_TRUST_CHECKOUT"] === "1";

/** Who judges takes no instructions from what those it judges could write. */
const heeds = ({ request, environment }: Pick<Asked, "request" | "environment">) =>
  request.role === "worker" || trusts(environment);

const holdsKey = ({ name }: Cli, key: string) =>
  `${name} uses ${key} and not a key that until-green lends: what it runs may come to see it, and its errors are classed by its words`;

const movedAside = ({ name }: Cli, paths: readonly string[]) =>
  `${paths.join(", ")} did not count and ${paths.length === 1 ? "was" : "were"} out of the way while ${name} worked, as it would do what they say; set UNTIL_GREEN_TRUST_CHECKOUT=1 if you trust whoever can change them`;

function checkVersion(cli: Cli, { version }: FoundProgram, wanted: string | undefined): void {
  if (wanted === undefined || version === undefined || version === wanted) return;
  const advice = `npm install --global ${cli.program.package}@${wanted}`;
  throw new AgentError("missing", `${cli.name} is version ${version}, and ${wanted} is asked for: ${advice}`);
}

interface Asked {
  readonly cli: Cli;
  readonly request: AgentRequest;
  readonly context: AgentContext;
  readonly environment: Environment;
  readonly program: FoundProgram;
  readonly options: CliAgentOptions;
  readonly rates: Rates;
}

/** Asks once; where the CLI does not know the conversation, once more in a new one that begins with a digest. */
async function ask(asked: Asked): Promise<{ readonly ended: Ended; readonly conversation: Conversation }> {
  const conversation = await openConversation(asked);
  const ended = await start(asked, conversation);
  if (ended.heard.lost !== true || !conversation.goesOn) return { ended, conversation };
  const fresh = await openConversation({ ...asked, isUnknown: true });
  return { ended: await start(asked, fresh), conversation: fresh };
}

async function start(asked: Asked, conversation: Conversation): Promise<Ended> {
  const { cli, context, environment } = asked;
  const reach = await reachModel(cli, { environment, model: asked.request.model, signal: context.signal });
  const scratch = openScratch(context.artifacts);
  const halt = new AbortController();
  try {
    let gaveUp: Trouble | undefined;
    const giveUp = (trouble: Trouble) => {
      gaveUp ??= trouble;
      halt.abort();
    };
    reach.loan?.onTrouble((trouble, inARow) => {
      if (isPassing(trouble) && inARow >= (cli.tries ?? Infinity)) giveUp(trouble);
    });
    const tools = await openToolbox({ request: asked.request, context, scratch });
    const turn = turnOf(asked, { conversation, reach, scratch, tools, giveUp });
    const call = await cli.begin(turn);
    const end = await run(asked, { turn, call, reach, halt: halt.signal });
    const heard = await call.heard(end);
    // Some call a turn that we cut off one that ended well.
    const cutOff = gaveUp && { trouble: gaveUp, ended: false };
    return { end, heard: { ...heard, ...cutOff }, byTool: tools?.heard() ?? {}, ...reachEnd(reach) };
  } finally {
    reach.loan?.end();
    scratch.remove();
  }
}

const reachEnd = ({ loan, endpoint, handed }: Reach) => ({
  counted: loan?.usage(),
  between: loan?.fault(),
  secret: endpoint?.variable,
  ownKey: loan === undefined ? (Object.keys(handed)[0] ?? "its own login") : undefined,
});

interface Means {
  readonly conversation: Conversation;
  readonly reach: Reach;
  readonly scratch: Scratch;
  readonly tools: Toolbox | undefined;
  giveUp(trouble: Trouble): void;
}

function turnOf(
  { request, context, environment, options }: Asked,
  { conversation, reach, scratch, tools, giveUp }: Means,
): Turn {
  return {
    request,
    context,
    prompt: promptFor([conversation.before, request.prompt], scratch),
    session: conversation,
    extra: options.args ?? [],
    environment: { ...environment, ...reach.handed },
    trusts: trusts(environment),
    heeds: heeds({ request, environment }),
    endpoint: reach.endpoint,
    server: tools,
    scratch,
    say: context.onText,
    giveUp,
  };
}

interface Running {
  readonly turn: Turn;
  readonly call: Call;
  readonly reach: Reach;
  readonly halt: AbortSignal;
}

async function run(
  { cli, context, request, program, options, environment }: Asked,
  running: Running,
): Promise<ProcessEnd> {
  const { turn, call, reach, halt } = running;
  const lines = jsonLines(call.read);
  const { stdout, ...end } = await runProcess({
    command: program.command,
    args: call.args,
    cwd: context.workspace,
    env: agentEnvironment(environment, { ...reach.handed, ...context.env, ...call.env }),
    stdin: [call.preface, turn.prompt].filter((part) => part !== undefined && part !== "").join("\n\n"),
    timeoutMs: request.timeoutMs,
    idleMs: request.idleMs,
    signal: AbortSignal.any([context.signal, halt]),
    onText: (text, from) => (from === "stdout" ? lines.push(text) : undefined),
    signs: (heard) => reach.loan?.onBytes(heard),
    reap: "always",
    stop: cli.stop,
    afterMs: options.afterMs ?? usualAfterMs,
  });
  lines.end();
  return { stdout, ...end };
}

const usualAfterMs = 10_000;
