/**
 * The nodes that have no nodes inside.
 * @module
 */
import { z } from "zod";
import { reference, shellText, text } from "../expressions/template.ts";
import type { Infer } from "../ports/infer.ts";
import { json } from "../ports/json.ts";
import { agentCall } from "./agent-call.ts";
import { baseNode } from "./base-node.ts";
import { call } from "./call.ts";
import { programData } from "./sequence.ts";

const yes = z.literal(true).exactOptional();
const milliseconds = z.number().exactOptional();

const agentNode = baseNode.extend({
  kind: z.literal("agent"),
  call: agentCall,
  /**
   * The agent judges the output of `node`, or `value` in its place. If the first line of its answer starts with PASS,
   * the exit is `pass`, else `fail`.
   */
  judges: z
    .strictObject({
      node: z.string(),
      field: z.string().exactOptional(),
      value: reference.exactOptional(),
    })
    .exactOptional(),
});

export type AgentNode = Infer<typeof agentNode>;

/** Fields shared by shell scripts and scripts in other languages. */
const program = {
  timeoutMs: milliseconds,
  /** A program that exceeds its time limit counts as skipped. */
  maySkip: yes,
  /** It must print only JSON, and the JSON must match this schema. */
  schema: json.exactOptional(),
  /** Additional environment variables. */
  env: z.record(z.string(), text).exactOptional(),
};

const shellNode = baseNode.extend({ kind: z.literal("shell"), script: shellText, ...program });

export type ShellNode = Infer<typeof shellNode>;

const scriptNode = baseNode.extend({
  kind: z.literal("script"),
  runtime: z.enum(["node", "bun", "python", "uv"]),
  /** References become JSON literals. */
  source: z.union([z.strictObject({ inline: text }), z.strictObject({ file: z.string() })]),
  deps: z.array(z.string()),
  ...program,
  data: programData.exactOptional(),
  /** It must print only a JSON object with `output` and `exit`. */
  prints: z.literal("outcome").exactOptional(),
});

export type ScriptNode = Infer<typeof scriptNode>;

const approvalNode = baseNode.extend({
  kind: z.literal("approval"),
  message: text,
  /** True if the text of an approval is the node's output. */
  capture: z.boolean(),
  /** What an approval without a text says. */
  bare: z.string().exactOptional(),
  /**
   * The decisions a person can choose from: the output is `{"decision": …, "text": …}`. A text that starts with one
   * of them chooses it.
   */
  decisions: z.array(z.string()).exactOptional(),
  /** Waits for an event; the output has the form of Archon's waits. An approval after `deadlineMs` is too late. */
  waits: z
    .strictObject({ event: text.exactOptional(), deadlineMs: z.number().exactOptional() })
    .exactOptional(),
  /** The agent call after a rejection, before the gate opens again; at most `times` times. */
  onReject: z.strictObject({ call: agentCall, times: z.int() }).exactOptional(),
});

export type ApprovalNode = Infer<typeof approvalNode>;

const cancelNode = baseNode.extend({ kind: z.literal("cancel"), reason: text });

/** The time limit is that of the called workflow. */
const callNode = baseNode.extend({ kind: z.literal("call"), call, timeoutMs: milliseconds });

export type CallNode = Infer<typeof callNode>;

export const leafNodes = [agentNode, shellNode, scriptNode, approvalNode, cancelNode, callNode] as const;

export type LeafNode = Infer<(typeof leafNodes)[number]>;
