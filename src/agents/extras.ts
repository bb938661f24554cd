import type { Agent, AgentAnswer } from "../ports/agent.ts";
import { readInside } from "./workspace-file.ts";

type Notice = NonNullable<AgentAnswer["notices"]>[number];

/** Settings that only some agents support: the key in a file, and the agents. */
const ofFew = {
  hooks: { key: "hooks", agents: ["claude"] },
  subagents: { key: "agents", agents: ["claude"] },
  mcp: { key: "mcp", agents: ["claude", "codex", "copilot"] },
  betas: { key: "betas", agents: ["claude"] },
  thinking: { key: "thinking", agents: ["claude"] },
  webSearch: { key: "webSearchMode", agents: ["codex"] },
} as const;

/** The default models of Archon's tiers; an agent without one uses its own default model. */
const tiers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  small: { claude: "haiku", codex: "gpt-5.6-luna" },
  medium: { claude: "sonnet", codex: "gpt-5.6-terra" },
  large: { claude: "opus", codex: "gpt-5.6-sol" },
};

const modelOfTier = (agent: string, model: string | undefined): string | undefined =>
  model !== undefined && Object.hasOwn(tiers, model) ? tiers[model]?.[agent] : model;

/**
 * The agent, with the skills that a request names added to its instructions. Reports once which settings it does not
 * support.
 */
export function withExtras(agent: Agent): Agent {
  const reported = new Set<string>();
  return {
    name: agent.name,
    async answer(request, context) {
      const { settings = {}, instructions } = request;
      const useless = Object.entries(ofFew).flatMap(([name, few]) =>
        settings[name as keyof typeof ofFew] === undefined || few.agents.some((it) => it === agent.name)
          ? []
          : [few],
      );
      const skills = await Promise.all(
        (settings.skills ?? []).map(async (name) => ({
          name,
          text: await skillText(context.workspace, name),
        })),
      );
      const notices = [
        ...useless.map(({ key, agents }) =>
          ignored(`${agent.name} has no \`${key}\`: it works only with ${agents.join(", ")}`),
        ),
        ...skills.flatMap(({ name, text }) => (text === undefined ? [ignored(missing(name))] : [])),
      ].filter(({ message }) => reported.size !== reported.add(message).size);
      const texts = skills.flatMap(({ text }) => text ?? []);
      const all = texts.length === 0 ? instructions : [instructions ?? [], ...texts].flat().join("\n\n");
      const model = modelOfTier(agent.name, request.model);
      const answer = await agent.answer({ ...request, model, instructions: all }, context);
      return notices.length === 0 ? answer : { ...answer, notices: [...notices, ...(answer.notices ?? [])] };
    },
  };
}

const ignored = (message: string): Notice => ({ code: "SETTING_IGNORED", message });

const missing = (name: string) =>
  `there is no skill ${JSON.stringify(name)}: install it as .claude/skills/${lastOf(name)}/SKILL.md in the checkout`;

/** The skill `owner/name` is installed as `name`. */
const lastOf = (name: string) => name.slice(name.lastIndexOf("/") + 1);

/** The text of a skill of the checkout; empty if there is none, or if its path leads outside. */
async function skillText(workspace: string, name: string): Promise<string | undefined> {
  for (const folder of [".claude/skills", ".agents/skills"]) {
    const path = `${folder}/${lastOf(name)}`;
    const text = await readInside(workspace, `${path}/SKILL.md`).catch(() => undefined);
    if (text === undefined) continue;
    const body = text.replace(/^---\n.*?\n---\n/s, "").trim();
    return `# Skill ${lastOf(name)}\n\nIts files are in ${path}.\n\n${body}`;
  }
  return undefined;
}
