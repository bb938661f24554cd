import {
  type CommentCommand,
  type ParsedComment,
  parseComment,
  type RunCommand,
} from "../decisions/parse-comment.ts";
import { applyDecision } from "./apply-decision.ts";
import { isRefused, quoted, react, refuse, reply } from "./comment-replies.ts";
import { ConfigError, type Rules, rulesOf } from "./config.ts";
import { dispatchJob } from "./dispatch-job.ts";
import { type Found, findRun } from "./find-run.ts";
import { isAllowedBot, mayCommand, same } from "./permissions.ts";
import { recordDecision } from "./record-decision.ts";
import { hashOf, type IncomingComment, type RepositoryContext } from "./repository-context.ts";

/** Executes the command in a comment, once, if its author may; ignores everything else. */
export async function onComment(site: RepositoryContext, remark: IncomingComment): Promise<void> {
  const heard = parseComment(remark.body);
  if (heard === undefined || (remark.isBot && (await isMe(site, remark.by)))) return;
  // Bots are ignored unless the repository lists them.
  if (remark.isBot && !(await isAllowedBot(site, remark.by))) return;
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
      `commands are disabled until \`.github/until-green.yml\` is valid: ${quoted(error.message)}`,
    );
  }
}

/** If the host does not tell our own login, a bot counts only if the repository lists it. */
const isMe = async (site: RepositoryContext, login: string) =>
  same(login, await site.login().catch(() => ""));

/** A comment, and whether it is delivered for the first time: what leaves no trace on record is done only then. */
type Asked = IncomingComment & { readonly isFirst: Promise<boolean> };

async function obey(site: RepositoryContext, asked: Asked, heard: NonNullable<ParsedComment>): Promise<void> {
  site.count("commands");
  if ("unclear" in heard) return await refuse(site, asked, heard.unclear);
  if ("word" in heard) await aboutRun(site, asked, heard);
  else await aboutAll(site, asked, heard);
  await asked.isFirst;
}

async function aboutAll(
  site: RepositoryContext,
  asked: Asked,
  spoken: Exclude<CommentCommand, RunCommand>,
): Promise<void> {
  const rules = rulesOf(await site.config(), undefined);
  const no = await mayCommand(site, rules, asked.by);
  if (no !== undefined) return await refuse(site, asked, no);
  if (!(await asked.isFirst)) return;
  const { forgetNotes, helpText, listText, startRun } = await import("./rare-commands.ts");
  if (spoken.kind === "forget") return await forgetNotes(site, asked, spoken.number);
  if (spoken.kind === "run") return await startRun(site, asked, { name: spoken.name, rules });
  await reply(site, asked.pull, spoken.kind === "help" ? helpText : await listText(site, asked.pull));
  await react(site, asked.id, "+1");
}

async function aboutRun(site: RepositoryContext, asked: Asked, words: RunCommand): Promise<void> {
  const found = await findRun(site, words, asked);
  if ("repeated" in found) return;
  const workflow = "refused" in found ? undefined : found.standing.summary.workflow;
  const rules: Rules = rulesOf(await site.config(), workflow);
  // Permission first: without it no reply reveals which runs exist.
  const no = await mayCommand(site, rules, asked.by);
  if (no !== undefined) return await refuse(site, asked, no);
  const { kind } = words;
  if ("refused" in found) {
    if (kind !== "status" || found.items === undefined) return await refuse(site, asked, found.refused);
    return await tellStatus(site, asked, found.items);
  }
  if (kind === "status") return await tellStatus(site, asked, [found]);
  if (kind === "resume") return await resume(site, asked, { ...found, rules });
  // A message leaves no trace at the tip once the run has continued.
  if ((kind === "tell" || kind === "retry") && !(await asked.isFirst)) return;
  if (!(await asked.isFirst) && (await isRefused(site, asked.id))) return;
  await recordDecision(site, {
    ...found,
    kind,
    rules,
    by: asked.by,
    author: asked.author,
    pull: asked.pull,
    // Comments are dated to the second.
    since: Date.parse(asked.at) + 999,
    gate: words.gate,
    anyway: words.anyway,
    remark: asked,
    comment: { id: asked.id, sha256: hashOf(asked.body) },
    said: String(asked.id),
  });
}

async function tellStatus(
  site: RepositoryContext,
  asked: Asked,
  found: readonly Pick<Found, "standing">[],
): Promise<void> {
  if (!(await asked.isFirst)) return;
  const { statusText } = await import("./rare-commands.ts");
  await reply(site, asked.pull, statusText(found.map(({ standing }) => standing)));
  await react(site, asked.id, "+1");
}

/** Resumes a run that no job drives: its job died, or its time was up. */
async function resume(
  site: RepositoryContext,
  asked: Asked,
  { run, tip, standing, rules }: Found & { readonly rules: Rules },
): Promise<void> {
  if (!(await asked.isFirst)) return;
  const [at, since] = [site.now(), Date.parse(asked.at) + 999];
  const said = { kind: "resume", by: asked.by, text: "", at, since, said: String(asked.id) } as const;
  const decision = applyDecision(tip, said);
  if ("refused" in decision) return await refuse(site, asked, decision.because);
  const woken = await dispatchJob(site, { run, rules, comment: undefined }, standing);
  if (woken.how === "running") return await refuse(site, asked, `the job of run \`${run}\` is still running`);
  if (woken.how === "failed") return await refuse(site, asked, quoted(woken.because));
  await react(site, asked.id, woken.how === "dispatched" ? "rocket" : "+1");
}
