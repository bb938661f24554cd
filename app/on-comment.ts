import { type Heard, hearComment, type RunWords, type Spoken } from "../src/index.ts";
import { ConfigError, type Rules, rulesOf } from "./config.ts";
import { decide } from "./decide.ts";
import { type Found, findRun } from "./find-run.ts";
import { isNamed, mayCommand, same } from "./person.ts";
import { quoted, react, refuse, reply, wasRefused } from "./replies.ts";
import { helpText, listText, statusText } from "./say.ts";
import { hashOf, type Remark, type Site } from "./site.ts";
import { startRun } from "./start-run.ts";
import { wake } from "./wake.ts";

/** Does what a comment asks for, once, if whoever wrote it may; what is not for us is passed over in silence. */
export async function onComment(site: Site, remark: Remark): Promise<void> {
  const heard = hearComment(remark.body);
  if (heard === undefined || (remark.isBot && (await isMe(site, remark.by)))) return;
  // Of programs only those are heard, and answered, that the repository names.
  if (remark.isBot && !(await isNamed(site, remark.by))) return;
  const asked = { ...remark, isFirst: react(site, remark.id, "eyes") };
  try {
    await obey(site, asked, heard);
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      const because = error instanceof Error ? `: ${quoted(error.message).slice(0, 300)}` : "";
      await refuse(site, asked, `that could not be done just now; please try again${because}`);
      throw error;
    }
    await refuse(
      site,
      asked,
      `nobody may command here until the configuration is right: ${quoted(error.message)}`,
    );
  }
}

/** Where the host does not say who we are, a program is heard only if the repository names it. */
const isMe = async (site: Site, login: string) => same(login, await site.login().catch(() => ""));

/** A comment, and whether it is heard for the first time: what leaves no trace on record is done only then. */
type Asked = Remark & { readonly isFirst: Promise<boolean> };

async function obey(site: Site, asked: Asked, heard: NonNullable<Heard>): Promise<void> {
  site.count("commands");
  if ("unclear" in heard) return await refuse(site, asked, heard.unclear);
  if ("word" in heard) await aboutRun(site, asked, heard);
  else await aboutAll(site, asked, heard);
  await asked.isFirst;
}

async function aboutAll(site: Site, asked: Asked, spoken: Exclude<Spoken, RunWords>): Promise<void> {
  const rules = rulesOf(await site.config(), undefined);
  const no = await mayCommand(site, rules, asked.by);
  if (no !== undefined) return await refuse(site, asked, no);
  if (!(await asked.isFirst)) return;
  if (spoken.kind === "run") return await startRun(site, asked, { name: spoken.name, rules });
  await reply(site, asked.pull, spoken.kind === "help" ? helpText : await listText(site, asked.pull));
  await react(site, asked.id, "+1");
}

async function aboutRun(site: Site, asked: Asked, words: RunWords): Promise<void> {
  const found = await findRun(site, words, asked);
  if ("repeated" in found) return;
  const workflow = "refused" in found ? undefined : found.standing.summary.workflow;
  const rules: Rules = rulesOf(await site.config(), workflow);
  // First whether they may: who may not is told nothing of the runs there are.
  const no = await mayCommand(site, rules, asked.by);
  if (no !== undefined) return await refuse(site, asked, no);
  const { kind } = words;
  if ("refused" in found) {
    if (kind !== "status" || found.items === undefined) return await refuse(site, asked, found.refused);
    return await tellStatus(site, asked, found.items);
  }
  if (kind === "status") return await tellStatus(site, asked, [found]);
  if (kind === "resume") return await resume(site, asked, { ...found, rules });
  // A message leaves no trace at the tip once the run has gone on.
  if (kind === "tell" && !(await asked.isFirst)) return;
  if (!(await asked.isFirst) && (await wasRefused(site, asked.id))) return;
  await decide(site, {
    ...found,
    kind,
    rules,
    by: asked.by,
    author: asked.author,
    pull: asked.pull,
    since: Date.parse(asked.at),
    gate: words.gate,
    anyway: words.anyway,
    remark: asked,
    comment: { id: asked.id, sha256: hashOf(asked.body) },
    said: String(asked.id),
  });
}

async function tellStatus(
  site: Site,
  asked: Asked,
  found: readonly Pick<Found, "standing">[],
): Promise<void> {
  if (!(await asked.isFirst)) return;
  await reply(site, asked.pull, statusText(found.map(({ standing }) => standing)));
  await react(site, asked.id, "+1");
}

/** Goes on with a run that nobody drives: its job died, or its time was up. */
async function resume(
  site: Site,
  asked: Asked,
  { run, standing, rules }: Found & { readonly rules: Rules },
): Promise<void> {
  if (!(await asked.isFirst)) return;
  if (standing.summary.state === "ended")
    return await refuse(site, asked, `run \`${run}\` has ended already`);
  if (standing.gates.length > 0 && standing.summary.state === "paused")
    return await refuse(site, asked, `run \`${run}\` waits for a person: approve or reject it`);
  const woken = await wake(site, { run, rules, comment: undefined }, standing);
  if (woken.how === "running") return await refuse(site, asked, `the job of run \`${run}\` is still at work`);
  if (woken.how === "failed") return await refuse(site, asked, quoted(woken.because));
  await react(site, asked.id, woken.how === "dispatched" ? "rocket" : "+1");
}
