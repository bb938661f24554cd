import { z } from "zod";
import { type Api, type ApiRepository, askIfThere } from "./api.ts";

/** Roles in a repository, lowest first. */
export const roles = ["none", "read", "triage", "write", "maintain", "admin"] as const;
export type Role = (typeof roles)[number];

const answer = z.object({ permission: z.string(), role_name: z.string().optional() });

/** Asks for a user's current role; an unknown user has none. Throws if the host does not answer. */
export async function roleOf({ api, owner, repo }: ApiRepository, login: string): Promise<Role> {
  const route = "GET /repos/{owner}/{repo}/collaborators/{username}/permission";
  const response = await askIfThere(api, route, { owner, repo, username: login });
  if (response === undefined) return "none";
  const { permission, role_name: name } = answer.parse(response);
  // A custom organisation role is unknown by name, but the role it is based on is known.
  return asRole(name) ?? asRole(permission) ?? "none";
}

const asRole = (name: string | undefined) => roles.find((role) => role === name);

/** True if a role includes another. */
export const reaches = (role: Role, wanted: Role) => roles.indexOf(role) >= roles.indexOf(wanted);

const membership = z.object({ state: z.string() });

/** Asks whether a user is currently a member of a team, named `organisation/team`. */
export async function isInTeam(api: Api, team: string, login: string): Promise<boolean> {
  const [org, name] = team.split("/", 2);
  const route = "GET /orgs/{org}/teams/{team}/memberships/{username}";
  const response = await askIfThere(api, route, { org, team: name, username: login });
  return response !== undefined && membership.parse(response).state === "active";
}
