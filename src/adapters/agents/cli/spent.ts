import { type AgentRequest, countable, type Usage } from "../../../ports/agent.ts";
import type { Cli, Heard } from "./cli.ts";
import type { Conversation } from "./conversation.ts";

/** What the calls of an agent took in money for a token, by model: it is said when a call ends well, and not when it is cut off. */
export type Rates = Map<string, number>;

interface Ended {
  readonly heard: Heard;
  /** By the relay. */
  readonly counted: Usage | undefined;
}

interface Asked {
  readonly cli: Cli;
  readonly request: AgentRequest;
  readonly conversation: Conversation;
  readonly rates: Rates;
}

/**
 * What one call took: tokens by what passed the relay, money by what the CLI says, its running totals less what they were
 * before. A call that was cut off took money as those before it did.
 */
export function spentIn({ heard, counted }: Ended, { cli, request, conversation, rates }: Asked) {
  const model = request.model ?? "";
  const usage = heard.usage && countable(heard.usage);
  if (usage === undefined)
    return (
      counted && { ...counted, cost_usd: counted.cost_usd || tokensIn(counted) * (rates.get(model) ?? 0) }
    );
  const { totals } = conversation;
  const tokens = counted ?? (cli.totals.tokens ? less(usage, totals) : usage);
  const money = cli.totals.cost ? less(usage, totals) : usage;
  const cost_usd = money.cost_usd > 0 ? money.cost_usd : (counted?.cost_usd ?? 0);
  const spent: Usage = { input_tokens: tokens.input_tokens, output_tokens: tokens.output_tokens, cost_usd };
  if (cost_usd > 0 && tokensIn(spent) > 0) rates.set(model, cost_usd / tokensIn(spent));
  // No call takes nothing: its model did not say.
  return cost_usd > 0 || tokensIn(spent) > 0 ? spent : undefined;
}

/** What the conversation took by now, where the CLI counts so. */
export const totalsAfter = (usage: Usage | undefined, { totals }: Cli): Usage | undefined =>
  usage !== undefined && (totals.tokens || totals.cost) ? countable(usage) : undefined;

const tokensIn = ({ input_tokens, output_tokens }: Usage) => input_tokens + output_tokens;

/** A total that went down began anew. */
function less(now: Usage, before: Usage | undefined): Usage {
  const by = (name: keyof Usage) =>
    now[name] >= (before?.[name] ?? 0) ? now[name] - (before?.[name] ?? 0) : now[name];
  return { input_tokens: by("input_tokens"), output_tokens: by("output_tokens"), cost_usd: by("cost_usd") };
}
