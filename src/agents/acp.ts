import { homedir } from "node:os";
import { env } from "node:process";
import { type Agent, type AgentAnswer, AgentError } from "../ports/agent.ts";
import { childEnvironment } from "../processes/environment.ts";
import { loginsNamedIn } from "../processes/private-files.ts";
import { openPrivateTempDir } from "../processes/private-temp-dir.ts";
import { type ProcessEnd, runProcess } from "../processes/process.ts";
import { type AcpConversation, type AcpTurn, openAcp } from "./acp-conversation.ts";
import { acpPrograms } from "./acp-programs.ts";
import { type CommandCall, type CommandOptions, commandFailure, stoppedEarly } from "./command.ts";
import { findJson } from "./json-answer.ts";
import { startMcpServer } from "./mcp-server.ts";

/** How long the program may take to end once it has answered. */
const endMs = 3000;

/**
 * Any program that speaks the Agent Client Protocol: a name of `acp-programs.ts`, or a command that bash runs. It uses
 * its own login or key, and its own tools; it gets the loop's tools if it accepts MCP servers over HTTP.
 */
export function acpAgent(named: string, { environment = env }: CommandOptions = {}): Agent {
  const name = `acp:${named}`;
  const command = Object.hasOwn(acpPrograms, named) ? (acpPrograms[named] ?? named) : named;
  const base = childEnvironment(environment, {}, { forAgent: true });
  return {
    name,
    async answer(request, context) {
      context.signal.throwIfAborted();
      const scratch = openPrivateTempDir(context.artifacts);
      const over = new AbortController();
      try {
        const tools = await startMcpServer({ request, context, scratch });
        const talk = openAcp({ name, request, context, tools });
        let turn: Promise<AcpTurn> | undefined;
        const end = await runProcess({
          command: "bash",
          args: ["-c", `exec ${command}`],
          cwd: context.workspace,
          env: childEnvironment(base, context.env, { forAgent: true }),
          talk(stdin) {
            turn = talk.talk(stdin);
            const finish = () => void setTimeout(() => over.abort(), endMs).unref();
            turn.then(finish, () => over.abort());
          },
          timeoutMs: request.timeoutMs,
          idleMs: request.idleMs,
          signal: AbortSignal.any([context.signal, over.signal]),
          onText: (text, from) => (from === "stdout" ? talk.push(text) : undefined),
          reap: "always",
          loopback: tools === undefined ? [] : [Number(new URL(tools.url).port)],
          wrap: context.wrap,
          writable: context.wrap && loginsNamedIn(command, base["HOME"] ?? homedir()),
        });
        talk.close();
        const answer = await readTurn({ request, context, session: "" }, { end, talk, turn });
        return { ...answer, ...tools?.answer() };
      } finally {
        scratch.remove();
      }
    },
  };
}

interface Ended {
  readonly end: ProcessEnd;
  readonly talk: AcpConversation;
  readonly turn: Promise<AcpTurn> | undefined;
}

async function readTurn(call: CommandCall, { end, talk, turn }: Ended): Promise<AgentAnswer> {
  const { request, context } = call;
  if (context.signal.aborted) throw context.signal.reason;
  const { text, usage } = talk.heard;
  const counted = usage === undefined ? {} : { usage };
  if (end.how === "idle" && text !== "") return { text, idle: true, ...counted };
  if (end.how === "timed-out" || end.how === "idle") throw stoppedEarly(end, request);
  if (end.how === "not-started" || turn === undefined) throw commandFailure(end);
  const { stopReason, session, isLost } = await turn.catch((error: unknown) => {
    throw failureOf(error, end);
  });
  const fault = faults[stopReason];
  if (fault !== undefined) throw new AgentError(fault, `the agent ended its turn with ${stopReason}`);
  const result = request.schema === undefined ? undefined : findJson(text, request.role);
  return {
    text,
    session,
    ...counted,
    ...(result === undefined ? {} : { result }),
    ...(isLost && { notices: [{ code: "SESSION_LOST", message: lost }] }),
  };
}

const lost = "the agent no longer knows the conversation, so it started a new one";

/** Turns that end without an answer. */
const faults: Readonly<Record<string, "context" | "max-turns" | "refused">> = {
  max_tokens: "context",
  max_turn_requests: "max-turns",
  refusal: "refused",
};

/** The protocol's code for an agent that needs a login. */
const needsLogin = -32_000;

function failureOf(error: unknown, end: ProcessEnd): AgentError {
  if (error instanceof AgentError) return error;
  const { code, message } = error as { readonly code?: number; readonly message: string };
  if (code === needsLogin)
    return new AgentError("auth", `the agent is not logged in: ${message}`, {
      isFixable: true,
      cause: error,
    });
  // It ended before it answered: its exit code and last line say why.
  if (code === undefined) return commandFailure(end);
  return new AgentError("crash", `the agent gave no answer: ${message}`, { cause: error });
}
