import { join } from "node:path";
import { env } from "node:process";
import type { ProviderError } from "../../key-proxy/provider-errors.ts";
import { type Agent, type AgentAnswer, AgentError, homesFolder } from "../../ports/agent.ts";
import { agentEnvironment, type Environment } from "../../processes/environment.ts";
import { makeOwnFolders } from "../../processes/make-folder.ts";
import { openPrivateTempDir, type PrivateTempDir } from "../../processes/private-temp-dir.ts";
import { type ProcessEnd, runProcess } from "../../processes/process.ts";
import { listQuarantined, quarantineFiles } from "../../workspace/quarantine.ts";
import { type McpServer, startMcpServer } from "../mcp-server.ts";
import { aboutOf } from "../tool-input.ts";
import { refuseLimits } from "../tool-limits.ts";
import type { CliDefinition, CliInvocation, CliProcess } from "./cli-definition.ts";
import { homeOf, homeVariable } from "./config-folder.ts";
import { makeState } from "./conversation.ts";
import { stepOf } from "./conversation-summary.ts";
import { isTooMuch } from "./is-too-much.ts";
import { jsonLines } from "./json-lines.ts";
import { type ModelAccess, resolveModelAccess } from "./model-endpoint.ts";
import type { ProgramEnd } from "./parse-answer.ts";
import { openPrivateHome, type PrivateHome } from "./private-home.ts";
import { type FoundProgram, findProgram, versionWarning } from "./program.ts";
import { promptFor } from "./prompt.ts";
import { type AskedTurn, runTurn, type TurnPart } from "./turn.ts";
import type { Rates } from "./usage.ts";

export interface CliAgentOptions {
  /** The environment to find its program and key in; default: this process's. */
  readonly environment?: Environment;
  /** A folder with its own `node_modules`, or several, searched before the PATH. */
  readonly installed?: string | readonly string[] | undefined;
  /** The user's own arguments for the program. */
  readonly args?: readonly string[] | undefined;
  /** The exact version that the user asked for. */
  readonly version?: string | undefined;
  /** How long its child processes may keep running after its turn, in milliseconds. */
  readonly afterMs?: number | undefined;
}

/** A command-line program as an agent: each answer is one start of the program. */
export function cliAgent(cli: CliDefinition, options: CliAgentOptions = {}): Agent {
  const { environment: ownEnvironment = env } = options;
  const warned = new Set<string>();
  const rates: Rates = new Map();
  return {
    name: cli.name,
    async answer(request, context) {
      context.signal.throwIfAborted();
      if (cli.limitsOnlyWriting) refuseLimits(cli.name, request);
      const program = findProgram(cli.program, { environment: ownEnvironment, installed: options.installed });
      checkVersion(cli, program, options.version);
      const home = openPrivateHome(cli.home, { ...context, name: cli.name, environment: ownEnvironment });
      const { environment } = home;
      const agentCall = { cli, request, context, environment, home, program, options, rates };
      const instructionFiles = followsInstructions(agentCall) ? [] : (cli.instructionPaths ?? []);
      const names = [...(cli.configPaths ?? []), ...instructionFiles];
      const putBack = await quarantineFiles(context.workspace, trusts(environment) ? [] : names);
      const quarantined = listQuarantined(context.workspace, names);
      const undo = cli.prepare?.(environment);
      const { answer, ended } = await runTurn(agentCall, start)
        .finally(undo)
        .finally(home.close)
        .finally(putBack);
      const notices = [...once({ ...ended, movedAside: quarantined }, agentCall), ...(answer.notices ?? [])];
      return notices.length === 0 ? answer : { ...answer, notices };
    },
  };

  /** The notices of a call that have not been reported before. */
  function once(
    { result, ownKey, movedAside: quarantined }: CallEnd,
    { program }: AgentCall,
  ): NonNullable<AgentAnswer["notices"]> {
    const strange = versionWarning(cli.program, result.version ?? program.version);
    const notices = [
      ...(strange === undefined ? [] : [{ code: "AGENT_VERSION", message: strange }]),
      ...(ownKey === undefined ? [] : [{ code: "AGENT_HOLDS_KEY", message: holdsKey(cli, ownKey) }]),
      ...(quarantined.length === 0 ? [] : [{ code: "MOVED_ASIDE", message: movedAside(cli, quarantined) }]),
    ].filter(({ message }) => !warned.has(message));
    for (const { message } of notices) warned.add(message);
    return notices;
  }
}

interface CallEnd extends ProgramEnd {
  /** Files of the checkout that were moved aside during the call. */
  readonly movedAside: readonly string[];
}

/** True if the checkout's own settings are followed. Only the user may decide that, not a workflow file. */
const trusts = (environment: Environment) => environment["UNTIL_GREEN_TRUST_CHECKOUT"] === "1";

/** A judge takes no instructions from files that the judged agent can write. */
const followsInstructions = ({ request, environment }: Pick<AgentCall, "request" | "environment">) =>
  request.role === "worker" || trusts(environment);

const holdsKey = ({ name }: CliDefinition, key: string) =>
  `${name} uses ${key} directly, not through until-green's key proxy: programs it runs may see the key, and its errors are classified by their text`;

const movedAside = ({ name }: CliDefinition, paths: readonly string[]) =>
  `${paths.join(", ")} ${paths.length === 1 ? "was" : "were"} moved aside while ${name} worked, because it would follow them; set UNTIL_GREEN_TRUST_CHECKOUT=1 if you trust everyone who can change them`;

function checkVersion(cli: CliDefinition, { version }: FoundProgram, wanted: string | undefined): void {
  if (wanted === undefined || version === undefined || version === wanted) return;
  const advice = `npm install --global ${cli.program.package}@${wanted}`;
  throw new AgentError("missing", `${cli.name} is version ${version}, and ${wanted} is requested: ${advice}`);
}

interface AgentCall extends AskedTurn {
  readonly home: PrivateHome;
  readonly options: CliAgentOptions;
}

async function start(agentCall: AgentCall, part: TurnPart): Promise<ProgramEnd> {
  const { cli, context, environment } = agentCall;
  const modelAccess = await resolveModelAccess(cli, { environment, model: agentCall.request.model, context });
  const { lease } = modelAccess;
  const scratch = openPrivateTempDir(context.artifacts);
  const halt = new AbortController();
  try {
    let gaveUp: ProviderError | undefined;
    const giveUp = (error: ProviderError) => {
      gaveUp ??= error;
      halt.abort();
    };
    lease?.onTrouble((error, inARow) => {
      if (isTooMuch(error, inARow)) giveUp(error);
    });
    const tools = await startMcpServer({ request: agentCall.request, context, scratch });
    let session = part.conversation.id;
    const began = (known: string | undefined) => {
      session = known ?? session;
    };
    lease?.onAnswered(() => {
      const spent = part.advanced(session, { partial: tools?.answer() ?? {}, took: lease.usage(), steps });
      if (spent !== undefined) context.onUsage?.(spent);
    });
    const steps: string[] = [];
    const turn = turnOf(agentCall, { ...part, began, modelAccess, scratch, tools, giveUp, steps });
    const call = await cli.begin(turn);
    const end = await run(agentCall, { turn, call, modelAccess, halt: halt.signal });
    // Some programs report success for a turn that was cut off.
    const result = { ...(await call.result(end)), ...(gaveUp && { trouble: gaveUp, ended: false }) };
    // Requests that are still open are paid now.
    lease?.end();
    return { end, result, steps, byTool: tools?.answer() ?? {}, ...accessEnd(modelAccess) };
  } finally {
    lease?.end();
    scratch.remove();
  }
}

const accessEnd = ({ lease, endpoint, handed }: ModelAccess) => ({
  counted: lease?.usage(),
  between: lease?.fault(),
  answered: lease?.answered(),
  isCutShort: lease?.isCutShort() ?? false,
  silentHost: lease?.silentHost(),
  secret: endpoint?.variable,
  ownKey: lease === undefined ? (Object.keys(handed)[0] ?? "its own login") : undefined,
});

interface StartContext extends Pick<TurnPart, "conversation" | "prompt"> {
  began(session: string | undefined): void;
  readonly modelAccess: ModelAccess;
  readonly scratch: PrivateTempDir;
  readonly tools: McpServer | undefined;
  giveUp(error: ProviderError): void;
  /** Collects the agent's tool calls. */
  readonly steps: string[];
}

function turnOf(
  { cli, request, context, environment, options }: AgentCall,
  { conversation, prompt, began, modelAccess, scratch, tools, giveUp, steps }: StartContext,
): CliInvocation {
  return {
    request,
    context,
    prompt: promptFor([conversation.before, prompt], scratch),
    session: conversation,
    home: homeOf(cli, environment),
    extra: [...(options.args ?? []), ...(request.settings?.args ?? [])],
    environment: { ...environment, ...modelAccess.handed },
    trusts: trusts(environment),
    followsInstructions: followsInstructions({ request, environment }),
    endpoint: modelAccess.endpoint,
    server: tools,
    scratch,
    say: context.onText,
    spends: modelAccess.lease === undefined ? context.onUsage : undefined,
    began,
    tool(name, input) {
      const subject = aboutOf(input);
      steps.push(stepOf(name, subject));
      context.onTool?.({ name, about: subject });
    },
    giveUp,
  };
}

interface Running {
  readonly turn: CliInvocation;
  readonly call: CliProcess;
  readonly modelAccess: ModelAccess;
  readonly halt: AbortSignal;
}

async function run(
  { cli, context, request, program, options, environment, home }: AgentCall,
  running: Running,
): Promise<ProcessEnd> {
  const { turn, call, modelAccess, halt } = running;
  const lines = jsonLines(call.read);
  const { stdout, ...end } = await runProcess({
    command: program.command,
    args: call.args,
    cwd: context.workspace,
    env: agentEnvironment(environment, {
      ...modelAccess.handed,
      ...context.env,
      ...homeVariable(cli, environment),
      ...call.env,
    }),
    stdin: [call.preface, turn.prompt].filter((part) => part !== undefined && part !== "").join("\n\n"),
    timeoutMs: request.timeoutMs,
    idleMs: request.idleMs,
    signal: AbortSignal.any([context.signal, halt]),
    onText: (text, from) => (from === "stdout" ? lines.push(text) : undefined),
    signs: (onBytes) => modelAccess.lease?.onBytes(onBytes),
    onStop: () => modelAccess.lease?.end(),
    reap: "always",
    wrap: context.wrap,
    loopback: [turn.endpoint?.baseUrl, turn.server?.url].flatMap((url) =>
      url === undefined ? [] : [Number(new URL(url).port)],
    ),
    hosts: turn.endpoint === undefined ? (cli.hosts ?? []) : [],
    writable: context.wrap && [
      makeOwnFolders(context.artifacts, join(homesFolder, cli.name)),
      ...home.writable,
      ...makeState(cli.state?.(environment) ?? []),
    ],
    stop: cli.stop,
    afterMs: options.afterMs ?? 10_000,
  });
  lines.end();
  return { stdout, ...end };
}
