import { z } from "zod";
import { type Api, askIfThere, type Repository } from "./api.ts";

/** What somebody may do in a repository, the least first. */
export const roles = ["none", "read", "triage", "write", "maintain", "admin"] as const;
export type Role = (typeof roles)[number];

interface Place extends Repository {
  readonly api: Api;
}

const answer = z.object({ permission: z.string(), role_name: z.string().optional() });

/** Asks what somebody may do now; whoever is unknown there may do nothing. Throws where the host does not answer. */
export async function roleOf({ api, owner, repo }: Place, login: string): Promise<Role> {
  const route = "GET /repos/{owner}/{repo}/collaborators/{username}/permission";
  const found = await askIfThere(api, route, { owner, repo, username: login });
  if (found === undefined) return "none";
  const { permission, role_name: name } = answer.parse(found);
  // A role of an organisation's own making says nothing by its name; what it is built on does.
  return asRole(name) ?? asRole(permission) ?? "none";
}

const asRole = (name: string | undefined) => roles.find((role) => role === name);

/** Whether a role reaches another. */
export const reaches = (role: Role, wanted: Role) => roles.indexOf(role) >= roles.indexOf(wanted);

const membership = z.object({ state: z.string() });

/** Asks whether somebody belongs to a team, named `organisation/team`, now. */
export async function isInTeam(api: Api, team: string, login: string): Promise<boolean> {
  const [org, name] = team.split("/", 2);
  const route = "GET /orgs/{org}/teams/{team}/memberships/{username}";
  const found = await askIfThere(api, route, { org, team: name, username: login });
  return found !== undefined && membership.parse(found).state === "active";
}
