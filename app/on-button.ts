import { isRunId, readButton, readStanding } from "../src/index.ts";
import { ConfigError, rulesOf } from "./config.ts";
import { decide } from "./decide.ts";
import { belongsHere } from "./find-run.ts";
import { isNamed, mayCommand } from "./person.ts";
import { isStrict, unprovable } from "./proof.ts";
import { authorOf, refusePress } from "./replies.ts";
import { hashOf, type Site } from "./site.ts";

/** A button of a check that somebody pressed. */
export interface Press {
  readonly identifier: string;
  /** The check's own id for what it shows: the run's. */
  readonly run: string;
  /** The pull request of the check, where the host names one. */
  readonly pull?: number | undefined;
  readonly by: string;
  readonly isBot: boolean;
  /** The host's id of what it told us: the same when it tells us again. */
  readonly delivery: string;
}

const kinds = { approve: "approve", reject: "reject", stop: "cancel" } as const;

/** Does what a button asks for, by the same rules as a comment; the gate is the one it was shown for. */
export async function onButton(site: Site, press: Press): Promise<void> {
  const pressed = readButton(press.identifier);
  if (pressed === undefined || !isRunId(press.run)) return;
  const { by, isBot } = press;
  if (isBot && !(await isNamed(site, by))) return;
  const said = hashOf(press.delivery).slice(0, 16);
  const kind = kinds[pressed.verb];
  let { pull } = press;
  const refuse = async (because: string) => {
    if (pull !== undefined) await refusePress(site, { pull, by, kind, said }, because);
  };
  try {
    const { tip, ...seen } = await site.look(press.run, { pull, by });
    const standing = readStanding(tip?.state["standing"]);
    if (tip === undefined || standing === undefined || !belongsHere(site, standing)) return;
    pull = standing.origin?.pull;
    site.count("commands");
    const rules = rulesOf(await site.config(), standing.summary.workflow);
    const no = await mayCommand(site, rules, by);
    if (no !== undefined) return await refuse(no);
    if (kind !== "cancel" && !site.isSealed && isStrict(rules)) return await refuse(unprovable);
    const { author, head } = await aboutPull(site, pull, pull === press.pull ? seen : {});
    await decide(site, {
      run: press.run,
      tip,
      head,
      kind,
      text: "",
      rules,
      by,
      author,
      pull,
      // The gate is named by what no other gate has, so there is none that opened later.
      since: Date.parse(site.now()),
      gate: pressed.nonce,
      anyway: false,
      remark: undefined,
      comment: undefined,
      said,
    });
  } catch (error) {
    await refuse(
      error instanceof ConfigError
        ? "nobody may command here until the configuration is right"
        : "that could not be done just now; please try again",
    );
    if (!(error instanceof ConfigError)) throw error;
  }
}

interface Seen {
  readonly author?: string | undefined;
  readonly head?: string | undefined;
}

/** Who opened a pull request and where it stands, asked for only if it was not told along with the run. */
async function aboutPull(site: Site, pull: number | undefined, { author, head }: Seen) {
  if (pull === undefined) return { author: "", head: undefined };
  return author === undefined || head === undefined ? await authorOf(site, pull) : { author, head };
}
