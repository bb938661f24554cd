import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { env } from "node:process";
import {
  type Agent,
  type AgentAnswer,
  type AgentContext,
  AgentError,
  type AgentRequest,
} from "../ports/agent.ts";
import { childEnvironment, type Environment } from "../processes/environment.ts";
import { exitCodeText, killedAdvice, killedBy } from "../processes/killed.ts";
import { pathsNamedIn } from "../processes/named-paths.ts";
import { loginsNamedIn } from "../processes/private-files.ts";
import { openPrivateTempDir, type PrivateTempDir } from "../processes/private-temp-dir.ts";
import { type ProcessEnd, runProcess } from "../processes/process.ts";
import { findJson } from "./json-answer.ts";

export interface CommandOptions {
  /** Its environment, without what agents must not have; default that of this process. */
  readonly environment?: Environment;
}

/**
 * Any program as an agent: bash runs the command in the workspace with the prompt on stdin. Its stdout is the final
 * message, and exit code 0 means success. Other parameters are in `UNTIL_GREEN_…` variables. If it is killed, it is
 * called once more.
 */
export function commandAgent(command: string, { environment = env }: CommandOptions = {}): Agent {
  // Read once: each access to a variable of `process.env` is a call into the runtime.
  const base = childEnvironment(environment, {}, { forAgent: true });
  return {
    name: `command:${command}`,
    async answer(request, context) {
      const session = request.session ?? randomUUID();
      const scratch = openPrivateTempDir(context.artifacts);
      try {
        const extra = { ...context.env, ...variables({ request, session, scratch }) };
        const began = performance.now();
        const call = (timeoutMs: number | undefined) =>
          runProcess({
            command: "bash",
            args: ["-c", command],
            cwd: context.workspace,
            env: childEnvironment(base, extra, { forAgent: true }),
            stdin: [request.instructions, request.prompt].filter((part) => part !== undefined).join("\n\n"),
            timeoutMs,
            idleMs: request.idleMs,
            signal: context.signal,
            onText: context.onText,
            reap: "always",
            wrap: context.wrap,
            writable: context.wrap && loginsNamedIn(command, base["HOME"] ?? homedir()),
            readable:
              context.wrap && pathsNamedIn(command, { home: base["HOME"], others: [context.workspace] }),
          });
        const first = await call(request.timeoutMs);
        const signal = killedBy(first);
        if (signal === undefined) return readEnd(first, { request, context, session });
        const left = request.timeoutMs && Math.max(1, request.timeoutMs - (performance.now() - began));
        const answer = readEnd(await call(left), { request, context, session });
        return { ...answer, notices: [{ code: "TURN_REPEATED", message: calledAgain(signal) }] };
      } finally {
        scratch.remove();
      }
    },
  };
}

function variables(turn: {
  readonly request: AgentRequest;
  readonly session: string;
  readonly scratch: PrivateTempDir;
}) {
  const { request, session, scratch } = turn;
  return {
    UNTIL_GREEN_SESSION: session,
    UNTIL_GREEN_RESUME: request.session === undefined ? "0" : "1",
    UNTIL_GREEN_ROLE: request.role,
    UNTIL_GREEN_NODE: request.node,
    UNTIL_GREEN_ITERATION: request.iteration === undefined ? undefined : String(request.iteration),
    UNTIL_GREEN_MODEL: request.model,
    UNTIL_GREEN_SCHEMA_FILE:
      request.schema === undefined ? undefined : scratch.write("schema.json", JSON.stringify(request.schema)),
  };
}

export interface CommandCall {
  readonly request: AgentRequest;
  readonly context: AgentContext;
  readonly session: string;
}

function readEnd(end: ProcessEnd, { request, context, session }: CommandCall): AgentAnswer {
  const text = end.stdout.replace(/[\r\n]+$/, "");
  const hasText = text.trim() !== "";
  switch (end.how) {
    case "aborted":
      throw context.signal.reason;
    case "not-started":
      throw commandFailure(end);
    case "timed-out":
      throw stoppedEarly(end, request);
    case "idle":
      if (hasText) return { text, session, idle: true };
      throw stoppedEarly(end, request);
    case "exited":
      if (end.exitCode !== 0) throw commandFailure(end);
      // Programs that change files may print nothing on success. A judge, or a node with a schema, must print
      // something.
      if (!hasText && (request.role !== "worker" || request.schema !== undefined))
        throw new AgentError("empty", `the agent exited with 0 but printed no answer${soFar(end)}`);
  }
  const result = request.schema === undefined ? undefined : findJson(text, request.role);
  return { text, session, ...(result === undefined ? {} : { result }) };
}

const calledAgain = (signal: NodeJS.Signals) =>
  `the agent's command was killed (${signal}), so it was called again: what it did outside the checkout may have been done twice`;

/** How a command failed that was stopped because of a limit. */
export const stoppedEarly = (
  end: ProcessEnd,
  { timeoutMs, idleMs }: Pick<AgentRequest, "timeoutMs" | "idleMs">,
): AgentError =>
  end.how === "idle"
    ? new AgentError("idle", `the agent said nothing for ${idleMs} ms${soFar(end)}`)
    : new AgentError("timeout", `the agent gave no answer within ${timeoutMs} ms${soFar(end)}`);

/** How a command failed that did not start, or ended without an answer. */
export function commandFailure(end: ProcessEnd): AgentError {
  if (end.how === "not-started")
    return new AgentError(
      "missing",
      `${end.fault?.message ?? "bash could not be started"}: the agent needs it`,
    );
  const line = lastLine(end.stderr) ?? lastLine(end.stdout);
  const why = line === undefined ? "" : `: ${line}`;
  const signal = killedBy(end);
  if (signal !== undefined) {
    const message = `the agent's command was killed twice (${signal})${why}. ${killedAdvice(signal)}`;
    return new AgentError("crash", message, { isFixable: true });
  }
  const { exitCode, stderr } = end;
  if (exitCode === 127)
    return new AgentError(
      "missing",
      `the agent's command was not found${why} (install it, or correct \`command:…\`)`,
    );
  if (exitCode === 126 && unexecutable.test(stderr))
    return new AgentError("missing", `the agent's command cannot be run${why} (make it executable)`);
  const how =
    exitCode === undefined ? `was ended by ${end.signal}` : `ended with exit code ${exitCodeText(exitCode)}`;
  return new AgentError("crash", `the agent's command ${how}${why}`);
}

/** What bash says of a file that it cannot execute. */
const unexecutable = /: (?:Permission denied|Is a directory)/;

/** The end of its output so far, for the report of a timeout. */
function soFar({ tail }: ProcessEnd): string {
  const text = tail.trim();
  return text === "" ? "" : `; it had said: ${text.length > 500 ? `…${text.slice(-500)}` : text}`;
}

function lastLine(text: string): string | undefined {
  return text.trim().split("\n").at(-1)?.trim() || undefined;
}
