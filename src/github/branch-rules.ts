import { z } from "zod";
import { askIfThere, statusOf } from "./api.ts";
import type { GitHub } from "./client.ts";

/** A rule of the repository that refuses pushes to a branch. */
export interface PushRule {
  /** Its name in GitHub's settings. */
  readonly name: string;
  readonly ruleset: string;
  /** Whether this token is exempt; `undefined` if GitHub does not say. */
  readonly mayBypass: boolean | undefined;
}

const rule = z.object({ type: z.string(), ruleset_id: z.int().optional() });
const ruleset = z.object({ name: z.string(), current_user_can_bypass: z.string().optional() });

/** Rules that refuse a push of unsigned commits, and to which branches: any, new, or existing ones. */
const refusing: Readonly<Record<string, readonly ["any" | "new" | "there", string]>> = {
  creation: ["new", "Restrict creations"],
  update: ["there", "Restrict updates"],
  required_signatures: ["any", "Require signed commits"],
  pull_request: ["there", "Require a pull request before merging"],
  required_status_checks: ["there", "Require status checks to pass"],
};

/** The active rules that refuse a push to a branch, if this token may read them. */
export async function readPushRules(github: GitHub, branch: string): Promise<readonly PushRule[]> {
  const rules = await readRules(github, branch);
  const known = rules.flatMap(({ type, ruleset_id: id }) => {
    const refusal = refusing[type];
    return refusal === undefined ? [] : [{ when: refusal[0], name: refusal[1], id }];
  });
  if (known.length === 0) return [];
  const route = "GET /repos/{owner}/{repo}/git/ref/{ref}";
  const isThere = (await askIfThere(github, route, { ...github.at, ref: `heads/${branch}` })) !== undefined;
  const holding = known.filter(({ when }) => when === "any" || (when === "there") === isThere);
  return await Promise.all(
    holding.map(async ({ name, id }) => {
      const details = id === undefined ? undefined : await readRuleset(github, id);
      return {
        name,
        ruleset: details?.name ?? `${id ?? ""}`,
        mayBypass: bypassOf(details?.current_user_can_bypass),
      };
    }),
  );
}

/** Empty for a host without rulesets, or a token that may not read them. */
async function readRules(github: GitHub, branch: string): Promise<readonly z.output<typeof rule>[]> {
  try {
    const route = "GET /repos/{owner}/{repo}/rules/branches/{branch}";
    const { data } = await github.request(route, { ...github.at, branch, per_page: 100 });
    return z.array(rule).parse(data);
  } catch (error) {
    if ([401, 403, 404].includes(statusOf(error) ?? 0)) return [];
    throw error;
  }
}

async function readRuleset(github: GitHub, id: number): Promise<z.output<typeof ruleset> | undefined> {
  try {
    const route = "GET /repos/{owner}/{repo}/rulesets/{ruleset_id}";
    return ruleset.parse((await github.request(route, { ...github.at, ruleset_id: id })).data);
  } catch (error) {
    if ([401, 403, 404].includes(statusOf(error) ?? 0)) return undefined;
    throw error;
  }
}

/** A bypass for pull requests only does not apply to pushes. */
function bypassOf(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : text === "always" || text === "exempt";
}
