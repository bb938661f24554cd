import { z } from "zod";
import { askIfThere } from "../github/api.ts";
import type { RepositoryContext } from "./repository-context.ts";

/**
 * True if a workflow of the repository may drive runs: its file mentions until-green, or the configuration names the
 * file. Other finished jobs are ignored, at a cost of at most two requests.
 */
export async function mayDriveRuns(site: RepositoryContext, workflow: string): Promise<boolean> {
  const [path = ""] = workflow.split("@", 1);
  if (/until-green/.test(path) || /until-green/.test(await readText(site, path))) return true;
  const config = await site.config().catch(() => undefined);
  const named = [config?.workflow, ...Object.values(config?.workflows ?? {}).map((one) => one.workflow)];
  return named.some((name) => name !== undefined && fileName(name) === fileName(path));
}

const fileName = (path: string) => path.slice(path.lastIndexOf("/") + 1);
const file = z.object({ content: z.string() });

async function readText({ api, owner, repo }: RepositoryContext, path: string): Promise<string> {
  const route = `GET /repos/{owner}/{repo}/contents/${path.split("/").map(encodeURIComponent).join("/")}`;
  const workflow = file.optional().parse(await askIfThere(api, route, { owner, repo }));
  return Buffer.from(workflow?.content ?? "", "base64").toString("utf8");
}
