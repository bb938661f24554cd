import { isInTeam, reaches } from "../github/permission.ts";
import type { Rules } from "./config.ts";
import type { RepositoryContext } from "./repository-context.ts";

/** Why a person may not do something, as half a sentence; `undefined` if they may. */
export type DenialReason = string | undefined;

/** Whether a person may command, checked with the host now; any error means no. */
export async function mayCommand(
  site: RepositoryContext,
  rules: Rules,
  login: string,
): Promise<DenialReason> {
  if (isListed(rules.users, login) || isListed(rules.bots, login)) return undefined;
  try {
    const role = await site.role(login);
    if (reaches(role, rules.permission)) return undefined;
    if (await isInTeams(site, rules.teams, login)) return undefined;
    return `this needs the permission \`${rules.permission}\` in the repository`;
  } catch {
    site.count("faults");
    return "your permission could not be checked just now; please try again";
  }
}

/** Whether a person who may command may also decide gates. */
export async function mayDecide(
  site: RepositoryContext,
  rules: Rules,
  person: Person,
): Promise<DenialReason> {
  const { login, author } = person;
  if (rules.excludeAuthor && same(login, author))
    return "the author of a pull request may not decide on it here";
  if (rules.approvers.length === 0) return undefined;
  const teams = rules.approvers.filter((name) => name.includes("/"));
  if (isListed(rules.approvers, login)) return undefined;
  try {
    return (await isInTeams(site, teams, login))
      ? undefined
      : "only the approvers named in the configuration may";
  } catch {
    site.count("faults");
    return "your permission could not be checked just now; please try again";
  }
}

export interface Person {
  readonly login: string;
  /** The author of the pull request. */
  readonly author: string;
}

/** True if the repository lists a bot; false if the configuration cannot be read. */
export const isAllowedBot = async (site: RepositoryContext, login: string): Promise<boolean> =>
  isListed((await site.config().catch(() => undefined))?.["allow-bot-users"] ?? [], login);

/** Logins are case-insensitive. */
export const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

export const isListed = (list: readonly string[], login: string) => list.some((one) => same(one, login));

async function isInTeams(
  { api }: RepositoryContext,
  teams: readonly string[],
  login: string,
): Promise<boolean> {
  for (const team of teams) if (await isInTeam(api, team, login)) return true;
  return false;
}
