import { type AgentRequest, countable, type Usage } from "../../ports/agent.ts";
import type { CliDefinition, CliResult } from "./cli-definition.ts";
import type { Conversation } from "./conversation.ts";

/** The price per token in each model's last successful call, used for calls that were cut off and report no cost. */
export type Rates = Map<string, number>;

interface CountedEnd {
  readonly result: CliResult;
  /** The key proxy's count. */
  readonly counted: Usage | undefined;
}

interface UsageContext {
  readonly cli: CliDefinition;
  readonly request: AgentRequest;
  readonly conversation: Conversation;
  readonly rates: Rates;
}

/**
 * The usage of one call: tokens as counted by the key proxy, money as reported by the program, minus earlier totals
 * if it reports running totals. The cost of a call that was cut off is estimated by earlier calls.
 */
export function usageOfCall(ended: CountedEnd, call: UsageContext): Usage | undefined {
  const { counted } = ended;
  const { totals, isCutOff } = call.conversation;
  const usage = ended.result.usage && countable(ended.result.usage);
  // The program's count may include the part that was cut off; the key proxy's does not.
  if (isCutOff && totals === undefined && counted !== undefined) return counted;
  if (usage !== undefined) return reportedUsage(usage, ended, call);
  const rate = call.rates.get(call.request.model ?? "") ?? 0;
  return counted && { ...counted, cost_usd: counted.cost_usd || tokensIn(counted) * rate };
}

function reportedUsage(
  usage: Usage,
  { counted }: CountedEnd,
  { cli, request, conversation, rates }: UsageContext,
) {
  const { totals } = conversation;
  const tokens = counted ?? (cli.totals.tokens ? less(usage, totals) : usage);
  const money = cli.totals.cost ? less(usage, totals) : usage;
  const cost_usd = money.cost_usd > 0 ? money.cost_usd : (counted?.cost_usd ?? 0);
  const spent: Usage = { ...tokens, cost_usd };
  if (cost_usd > 0 && tokensIn(spent) > 0) rates.set(request.model ?? "", cost_usd / tokensIn(spent));
  // Every call uses something, so zero means that nothing was reported.
  return cost_usd > 0 || tokensIn(spent) > 0 ? spent : undefined;
}

/** The total usage of the conversation, if the program reports that. */
export const totalsAfter = (usage: Usage | undefined, { totals }: CliDefinition): Usage | undefined =>
  usage !== undefined && (totals.tokens || totals.cost) ? countable(usage) : undefined;

const tokensIn = ({ input_tokens, output_tokens }: Usage) => input_tokens + output_tokens;

/** A total that has decreased was reset. */
function less(now: Usage, before: Usage | undefined): Usage {
  const by = (name: keyof Usage) => {
    const [all, past] = [now[name] ?? 0, before?.[name] ?? 0];
    return all >= past ? all - past : all;
  };
  return countable({
    input_tokens: by("input_tokens"),
    output_tokens: by("output_tokens"),
    cost_usd: by("cost_usd"),
    cache_read: by("cache_read"),
    cache_write: by("cache_write"),
  });
}
