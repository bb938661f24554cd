import { type Comment, type RunWords, readStanding, type Tip } from "../src/index.ts";
import { missingVotes, votesOn } from "./approvals.ts";
import { showRun } from "./board.ts";
import { type Choice, choose } from "./choice.ts";
import type { Rules } from "./config.ts";
import { mayDecide } from "./person.ts";
import { quoted, react, refuse, refusePress, reply } from "./replies.ts";
import type { Remark, Site } from "./site.ts";
import { wake } from "./wake.ts";

/** A word about a run from somebody who may command, in a comment or by a button. */
export interface Order {
  readonly run: string;
  readonly tip: Tip;
  readonly head: string | undefined;
  readonly kind: Exclude<RunWords["kind"], "status" | "resume">;
  readonly text: string;
  readonly rules: Rules;
  readonly by: string;
  /** Who opened the pull request. */
  readonly author: string;
  readonly pull: number | undefined;
  /** In milliseconds since 1970. */
  readonly since: number;
  readonly gate: string | undefined;
  readonly anyway: boolean;
  /** Where they said it; a button is no comment. */
  readonly remark: Remark | undefined;
  readonly comment: Comment | undefined;
  /** Names the comment, or the press: the same word heard again is known by it. */
  readonly said: string;
}

/** Puts one decision on record by compare-and-append, and wakes the run. Of all who decide a gate, one does. */
export async function decide(site: Site, order: Order): Promise<void> {
  const no = await mayNot(site, order);
  if (no !== undefined) return await answer(site, order, no);
  let { tip, head } = order;
  for (let round = 1; ; round++) {
    const choice = choose(tip, { ...order, head, at: site.now(), moved: order.rules.moved });
    if ("repeated" in choice) return;
    if ("refused" in choice) return await answer(site, order, choice.refused);
    if (await site.runs.append(tip, { lines: choice.lines, owner, at: site.now(), state: choice.state }))
      return await recorded(site, order, choice);
    if (round === mostRounds)
      return await answer(site, order, "too many write to this run at once; please try again");
    const again = await site.look(order.run, { pull: order.pull });
    if (again.tip === undefined)
      return await answer(site, order, `the record of run \`${order.run}\` is gone`);
    [tip, head] = [again.tip, again.head ?? head];
  }
}

/** In words for people: who wrote a decision. */
const owner = "the app";

/** How often others may come first. */
const mostRounds = 50;

async function mayNot(site: Site, order: Order): Promise<string | undefined> {
  const { kind, rules, by, author } = order;
  if (kind !== "approve" && kind !== "reject") return undefined;
  const no = await mayDecide(site, rules, { login: by, author });
  if (no !== undefined || kind === "reject" || rules.minimum === 1) return no;
  const missing = await missingApprovals(site, order);
  return missing === 0 ? undefined : `recorded nothing yet: ${missing} more must approve`;
}

/** How many more must approve the gate that is meant; where no pull request is known, nobody. */
async function missingApprovals(site: Site, order: Order): Promise<number> {
  const { tip, run, rules, pull, by, author, gate } = order;
  const standing = readStanding(tip.state["standing"]);
  const votes = standing === undefined ? undefined : votesOn(standing, gate);
  if (pull === undefined || votes === undefined) return 0;
  return await missingVotes(site, { run, rules, pull, by, author, ...votes });
}

type Done = Extract<Choice, { readonly lines: readonly string[] }>;

async function recorded(site: Site, order: Order, { isShown, standing }: Done): Promise<void> {
  if (isShown !== undefined) return await answer(site, order, isShown);
  site.count("decisions");
  const woken = await wake(site, order, standing);
  // A job at work shows its run itself, and would not know what somebody else put into the comment meanwhile.
  if (woken.how === "dispatched" || woken.how === "failed") await showRun(site, standing);
  const { remark } = order;
  if (remark === undefined) return;
  if ("because" in woken)
    await reply(
      site,
      remark.pull,
      `⏳ That is on record, but run \`${order.run}\` was not started: ${quoted(woken.because)}.`,
    );
  await react(site, remark.id, woken.how === "dispatched" ? "rocket" : "+1");
}

async function answer(site: Site, { remark, pull, ...order }: Order, because: string): Promise<void> {
  if (remark !== undefined) await refuse(site, remark, because);
  // A run about no pull request has no place for an answer.
  else if (pull !== undefined) await refusePress(site, { ...order, pull }, because);
}
