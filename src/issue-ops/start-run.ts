import { z } from "zod";
import { askIfThere } from "../github/api.ts";
import { DispatchError, dispatch } from "../github/dispatch.ts";
import { nearestWord } from "../ports/nearest-word.ts";
import { slugOf } from "../stores/run-id.ts";
import { react, refuse } from "./comment-replies.ts";
import type { Rules } from "./config.ts";
import { hashOf, type IncomingComment, type RepositoryContext } from "./repository-context.ts";

interface StartRequest {
  /** The workflow of loops, by its name. */
  readonly name: string;
  readonly rules: Rules;
}

/** Starts a job that runs a workflow of the default branch; the job reads the message from the comment. */
export async function startRun(
  site: RepositoryContext,
  comment: IncomingComment,
  { name, rules }: StartRequest,
): Promise<void> {
  const names = await workflowNames(site);
  const bare = name.replace(/\.ya?ml$/, "");
  if (!names.includes(bare)) return await refuse(site, comment, noWorkflow(bare, names));
  try {
    await dispatch(site, {
      workflow: rules.workflow,
      ref: site.defaultBranch,
      inputs: {
        workflow: bare,
        // Redelivered comments get the same id, so that they start only one run.
        "run-id": `${slugOf(bare)}-c${comment.id.toString(36).padStart(6, "0")}`,
        [comment.isOnIssue === true ? "issue" : "pull"]: String(comment.pull),
        "comment-id": String(comment.id),
        sha256: hashOf(comment.body),
      },
    });
  } catch (error) {
    if (!(error instanceof DispatchError)) throw error;
    site.count("failed_dispatches");
    return await refuse(site, comment, error.message);
  }
  site.count("dispatches");
  await react(site, comment.id, "rocket");
}

const folders = [".github/loops", ".archon/workflows"];
const entries = z.array(z.object({ name: z.string(), type: z.string() }));

async function workflowNames({ api, owner, repo }: RepositoryContext): Promise<readonly string[]> {
  const files = await Promise.all(
    folders.map(async (folder) => {
      const listed = await askIfThere(api, `GET /repos/{owner}/{repo}/contents/${folder}`, { owner, repo });
      return entries.safeParse(listed).data ?? [];
    }),
  );
  return files.flat().flatMap(({ name, type }) => {
    const bare = /^([A-Za-z0-9_][\w.-]*)\.ya?ml$/.exec(name)?.[1];
    return type === "file" && bare !== undefined ? [bare] : [];
  });
}

function noWorkflow(name: string, names: readonly string[]): string {
  const near = nearestWord(name, names);
  const known =
    names.length === 0
      ? "there is none in `.github/loops`"
      : `there are ${names.map((one) => `\`${one}\``).join(", ")}`;
  return `there is no workflow \`${name}\`; ${near === undefined ? known : `did you mean \`${near}\`?`}`;
}
