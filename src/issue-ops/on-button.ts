import { runCommand } from "../decisions/commands/table.ts";
import { conversationOf } from "../engine/log-events.ts";
import { readButton } from "../render/check-run.ts";
import { parseRunStatus } from "../status/run-status-schema.ts";
import { isRunId } from "../stores/run-id.ts";
import { authorOf, refusePress } from "./comment-replies.ts";
import { ConfigError, rulesOf } from "./config.ts";
import { belongsHere } from "./find-run.ts";
import { isAllowedBot, mayCommand } from "./permissions.ts";
import { recordDecision } from "./record-decision.ts";
import { hashOf, type RepositoryContext } from "./repository-context.ts";
import { isStrict, unprovable } from "./verify-decision.ts";

/** A press of a button on a check. */
export interface ButtonPress {
  readonly identifier: string;
  /** The check's external id: that of the run. */
  readonly run: string;
  /** The pull request of the check, if the host names one. */
  readonly pull?: number | undefined;
  readonly by: string;
  readonly isBot: boolean;
  /** The id of the delivery, which stays the same when it is redelivered. */
  readonly delivery: string;
}

const kinds = { approve: "approve", reject: "reject", stop: "cancel" } as const;

/** Executes a button press by the same rules as a comment. The gate is the one that the button was shown for. */
export async function onButton(site: RepositoryContext, press: ButtonPress): Promise<void> {
  const pressed = readButton(press.identifier);
  if (pressed === undefined || !isRunId(press.run)) return;
  const { by, isBot } = press;
  if (isBot && !(await isAllowedBot(site, by))) return;
  const source = hashOf(press.delivery).slice(0, 16);
  const kind = kinds[pressed.verb];
  let { pull } = press;
  const refuse = async (reason: string) => {
    if (pull !== undefined) await refusePress(site, { pull, by, kind, source }, reason);
  };
  try {
    const { tip, ...seen } = await site.look(press.run, { pull, by });
    const status = parseRunStatus(tip?.state["status"]);
    if (tip === undefined || status === undefined || !(await belongsHere(site, status))) return;
    pull = conversationOf(status.origin);
    site.count("commands");
    const rules = rulesOf(await site.config(), status.summary.workflow);
    const no = await mayCommand(site, rules, by);
    if (no !== undefined) return await refuse(no);
    if (runCommand(kind).who === "approvers" && !site.isSealed && isStrict(rules))
      return await refuse(unprovable);
    const { author, head } = await aboutPull(site, pull, pull === press.pull ? seen : {});
    await recordDecision(site, {
      run: press.run,
      tip,
      head,
      kind,
      text: "",
      rules,
      by,
      author,
      pull,
      // The button names exactly one gate, so it cannot apply to one that opened later.
      since: Date.parse(site.now()),
      gate: pressed.nonce,
      anyway: false,
      sourceComment: undefined,
      comment: undefined,
      source,
    });
  } catch (error) {
    await refuse(
      error instanceof ConfigError
        ? "commands are disabled until `.github/until-green.yml` is valid"
        : "that could not be done just now; please try again",
    );
    if (!(error instanceof ConfigError)) throw error;
  }
}

interface KnownPull {
  readonly author?: string | undefined;
  readonly head?: string | undefined;
}

/** The author and the head of a pull request; requested only if they are not known from reading the run. */
async function aboutPull(site: RepositoryContext, pull: number | undefined, { author, head }: KnownPull) {
  if (pull === undefined) return { author: "", head: undefined };
  return author === undefined || head === undefined ? await authorOf(site, pull) : { author, head };
}
