import { z } from "zod";
import { askIfThere } from "../../github/api.ts";
import { type Space, spaces } from "../git/run-refs.ts";
import { placeOf } from "../run-id.ts";
import { readByGraphql } from "./read-by-graphql.ts";
import { type Named, type RefLocation, type RelatedQuery, type RunLookup, type Tip, tipOf } from "./tip.ts";

/**
 * Reads a run's tip and related facts: in one call if the host supports GraphQL; otherwise the tip and the pull request
 * separately. Throws `BrokenLogError` for an invalid tip.
 */
export async function readByRest(
  location: RefLocation,
  run: string,
  related: RelatedQuery,
): Promise<RunLookup> {
  return (await readByGraphql(location, run, related)) ?? (await lookInTurn(location, run, related));
}

/** The commit of a run's ref; `undefined` if the ref does not exist. */
export async function readRef(location: RefLocation, space: Space, run: string): Promise<string | undefined> {
  const { api, owner, repo } = location;
  const ref = `${space.slice("refs/".length)}/${placeOf(run)}/state`;
  const response = refSchema.optional().parse(await askIfThere(api, route("ref", ref), { owner, repo }));
  return response?.object.sha;
}

const route = (what: "ref" | "blobs", name: string) => `GET /repos/{owner}/{repo}/git/${what}/${name}`;

const refSchema = z.object({ object: z.object({ sha: z.string() }) });
const blobSchema = z.object({ content: z.string(), encoding: z.literal("base64") });
const fileSchema = z.union([blobSchema, z.object({ sha: z.string() })]);
const pullSchema = z.object({
  user: z.object({ login: z.string() }).nullish(),
  head: z.object({ sha: z.string() }),
});

async function lookInTurn(
  location: RefLocation,
  run: string,
  { pull, lines }: RelatedQuery,
): Promise<RunLookup> {
  const pullRequest = pull === undefined ? undefined : askPull(location, pull);
  // Avoids an unhandled rejection if another request fails first.
  pullRequest?.catch(() => undefined);
  const tip = await findTip(location, run, lines === true);
  const pullData = await pullRequest;
  return { tip, head: pullData?.head.sha, author: pullData?.user?.login, text: undefined, role: undefined };
}

async function askPull({ api, owner, repo }: RefLocation, pull: number) {
  const response = await askIfThere(api, "GET /repos/{owner}/{repo}/pulls/{pull}", { owner, repo, pull });
  return pullSchema.optional().parse(response);
}

async function findTip(location: RefLocation, run: string, withLines: boolean): Promise<Tip | undefined> {
  for (const space of spaces) {
    const commit = await readRef(location, space, run);
    if (commit !== undefined) return await readTip(location, { run, space, commit }, withLines);
  }
  return undefined;
}

async function readTip(location: RefLocation, named: Named, withLines: boolean): Promise<Tip> {
  const [state, events] = await Promise.all([
    readText(location, named.commit, "state"),
    withLines ? readText(location, named.commit, "events") : undefined,
  ]);
  return tipOf({ ...named, state, events }, location.key);
}

/** The text of a file in a commit. If it is too long for the contents API, it is read as a blob. */
async function readText({ api, owner, repo }: RefLocation, commit: string, path: string) {
  const at = `GET /repos/{owner}/{repo}/contents/${path}`;
  const response = await askIfThere(api, at, { owner, repo, ref: commit });
  if (response === undefined) return undefined;
  const file = fileSchema.parse(response);
  const { content } =
    "content" in file
      ? file
      : blobSchema.parse((await api.request(route("blobs", file.sha), { owner, repo })).data);
  return Buffer.from(content, "base64").toString("utf8");
}
