import { z } from "zod";
import type { GoalStore, NextGoal } from "../ports/goal-store.ts";
import { type Api, type ApiRepository, askIfThere, type Repository, statusOf } from "./api.ts";

/** Stores the records of goals in refs of the repository, one commit per version. */
export function goalRefs({ api, owner, repo }: ApiRepository): GoalStore {
  const at = { owner, repo };
  return {
    async read(goal) {
      const response = await askIfThere(api, `GET /repos/{owner}/{repo}/git/ref/${refOf(goal)}`, at);
      if (response === undefined) return undefined;
      const version = ref.parse(response).object.sha;
      const route = "GET /repos/{owner}/{repo}/contents/goal.json";
      const kept = file.safeParse(await askIfThere(api, route, { ...at, ref: version }));
      return { text: kept.success ? Buffer.from(kept.data.content, "base64").toString() : "", version };
    },
    async write(goal, next) {
      const sha = await commit(api, at, next);
      const { after } = next;
      const route = after === undefined ? "POST" : "PATCH";
      const path = after === undefined ? "refs" : `refs/${refOf(goal)}`;
      const parameters = after === undefined ? { ref: `refs/${refOf(goal)}`, sha } : { sha, force: false };
      try {
        await api.request(`${route} /repos/{owner}/{repo}/git/${path}`, { ...at, ...parameters });
        return true;
      } catch (error) {
        if (![409, 422].includes(statusOf(error) ?? 0)) throw error;
        if (after === undefined) await refuseBeside({ api, ...at }, goal);
        return false;
      }
    },
  };
}

/** A prefix that cannot be a run's ref. */
const refOf = (goal: string) => `until-green/goals/${goal}`;

/** A ref cannot be a folder of refs, and the record of a goal outlives its branch. */
async function refuseBeside({ api, ...at }: ApiRepository, goal: string): Promise<void> {
  const route = `GET /repos/{owner}/{repo}/git/matching-refs/${refOf(goal.split("/", 1)[0] ?? "")}`;
  const goals = refs
    .parse((await api.request(route, at)).data)
    .map((one) => one.ref.slice(`refs/${refOf("")}`.length));
  const other = goals.find((one) => goal.startsWith(`${one}/`) || one.startsWith(`${goal}/`));
  if (other !== undefined)
    throw new Error(
      `the record of the goal ${goal} was not written: its ref cannot exist beside that of the goal ${other}. If that goal is over, \`git push origin --delete refs/${refOf(other)}\`; or set another \`branch\``,
    );
}

const refs = z.array(z.object({ ref: z.string() }));
const ref = z.object({ object: z.object({ sha: z.string() }) });
const file = z.object({ content: z.string() });
const made = z.object({ sha: z.string() });

async function commit(api: Api, at: Repository, { text, after, message }: NextGoal): Promise<string> {
  const tree = await api.request("POST /repos/{owner}/{repo}/git/trees", {
    ...at,
    tree: [{ path: "goal.json", mode: "100644", type: "blob", content: text }],
  });
  const answered = await api.request("POST /repos/{owner}/{repo}/git/commits", {
    ...at,
    message,
    tree: made.parse(tree.data).sha,
    parents: after === undefined ? [] : [after],
  });
  return made.parse(answered.data).sha;
}
