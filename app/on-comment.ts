import { type Heard, hearComment, type RunWords, type Spoken } from "../src/index.ts";
import { ConfigError, type Rules, rulesOf } from "./config.ts";
import { decide } from "./decide.ts";
import { type Found, findRun } from "./find-run.ts";
import { isListed, mayCommand, same } from "./person.ts";
import { quoted, react, refuse, reply } from "./replies.ts";
import { helpText, listText, statusText } from "./say.ts";
import { hashOf, type Remark, type Site } from "./site.ts";
import { startRun } from "./start-run.ts";
import { wake } from "./wake.ts";

/** Does what a comment asks for, once, if whoever wrote it may; what is not for us is passed over in silence. */
export async function onComment(site: Site, remark: Remark): Promise<void> {
  const heard = hearComment(remark.body);
  if (heard === undefined || (remark.isBot && (await isMe(site, remark.by)))) return;
  try {
    await obey(site, remark, heard);
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      const because = error instanceof Error ? `: ${quoted(error.message).slice(0, 300)}` : "";
      await refuse(site, remark, `that could not be done just now; please try again${because}`);
      throw error;
    }
    await refuse(
      site,
      remark,
      `nobody may command here until the configuration is right: ${quoted(error.message)}`,
    );
  }
}

/** Where the host does not say who we are, a program is heard only if the repository names it. */
const isMe = async (site: Site, login: string) => same(login, await site.login().catch(() => ""));

async function obey(site: Site, remark: Remark, heard: NonNullable<Heard>): Promise<void> {
  // Of programs only those are heard, and answered, that the repository names.
  if (remark.isBot && !isListed((await site.config())["allow-bot-users"], remark.by)) return;
  site.count("commands");
  const seen = react(site, remark.id, "eyes");
  if ("unclear" in heard) return await refuse(site, remark, heard.unclear);
  if ("word" in heard) await aboutRun(site, remark, { words: heard, seen });
  else await aboutAll(site, remark, { spoken: heard, seen });
  await seen;
}

interface Said<T> {
  readonly spoken: T;
  /** Whether nobody saw the comment before us. */
  readonly seen: Promise<boolean>;
}

async function aboutAll(site: Site, remark: Remark, { spoken, seen }: Said<Exclude<Spoken, RunWords>>) {
  const rules = rulesOf(await site.config(), undefined);
  const no = await mayCommand(site, rules, remark.by);
  if (no !== undefined) return await refuse(site, remark, no);
  // Nothing on record tells whether these were done: another copy of us that was first does them.
  if (!(await seen)) return;
  if (spoken.kind === "run") return await startRun(site, remark, { name: spoken.name, rules });
  await reply(site, remark.pull, spoken.kind === "help" ? helpText : await listText(site, remark.pull));
  await react(site, remark.id, "+1");
}

interface Words {
  readonly words: RunWords;
  readonly seen: Promise<boolean>;
}

async function aboutRun(site: Site, remark: Remark, { words, seen }: Words): Promise<void> {
  const found = await findRun(site, words, remark);
  const workflow = "refused" in found ? undefined : found.standing.summary.workflow;
  const rules: Rules = rulesOf(await site.config(), workflow);
  // First whether they may: who may not is told nothing of the runs there are.
  const no = await mayCommand(site, rules, remark.by);
  if (no !== undefined) return await refuse(site, remark, no);
  const { kind } = words;
  if ("refused" in found) {
    if (kind !== "status" || found.items === undefined) return await refuse(site, remark, found.refused);
    return await tellStatus(site, remark, { found: found.items, seen });
  }
  if (kind === "status") return await tellStatus(site, remark, { found: [found], seen });
  if (kind === "resume") {
    if (await seen) await resume(site, remark, { ...found, rules });
    return;
  }
  // A message leaves no trace at the tip once the run has gone on.
  if (kind === "tell" && !(await seen)) return;
  await decide(site, {
    ...found,
    kind,
    rules,
    by: remark.by,
    author: remark.author,
    pull: remark.pull,
    since: Date.parse(remark.at),
    gate: words.gate,
    anyway: words.anyway,
    remark,
    comment: { id: remark.id, sha256: hashOf(remark.body) },
    isFirst: seen,
  });
}

interface Asked {
  readonly found: readonly Pick<Found, "standing">[];
  readonly seen: Promise<boolean>;
}

async function tellStatus(site: Site, remark: Remark, { found, seen }: Asked): Promise<void> {
  if (!(await seen)) return;
  await reply(site, remark.pull, statusText(found.map(({ standing }) => standing)));
  await react(site, remark.id, "+1");
}

/** Goes on with a run that nobody drives: its job died, or its time was up. */
async function resume(
  site: Site,
  remark: Remark,
  { run, standing, rules }: Found & { readonly rules: Rules },
): Promise<void> {
  if (standing.summary.state === "ended")
    return await refuse(site, remark, `run \`${run}\` has ended already`);
  if (standing.gates.length > 0 && standing.summary.state === "paused")
    return await refuse(site, remark, `run \`${run}\` waits for a person: approve or reject it`);
  const woken = await wake(site, { run, rules, comment: undefined }, standing);
  if (woken.how === "running")
    return await refuse(site, remark, `the job of run \`${run}\` is still at work`);
  if (woken.how === "failed") return await refuse(site, remark, quoted(woken.because));
  await react(site, remark.id, woken.how === "dispatched" ? "rocket" : "+1");
}
