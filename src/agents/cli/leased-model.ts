import { AgentError } from "../../ports/agent.ts";
import { defaultModel, sizesOf } from "../models.ts";
import type { CliInvocation } from "./cli-definition.ts";

/** The model behind the key proxy, for a program that needs every setting of it; throws if the model is not known. */
export function leasedModel({ request, endpoint }: CliInvocation) {
  if (endpoint === undefined) return undefined;
  const { baseUrl, key, variable } = endpoint;
  const provider = variable.replace("_API_KEY", "").toLowerCase();
  const named = request.model?.startsWith(`${provider}/`)
    ? request.model.slice(provider.length + 1)
    : request.model;
  const id = named ?? defaultModel(provider);
  if (id === undefined)
    throw new AgentError(
      "missing",
      `no default model is known for the key ${variable}: set \`model\` to one that it opens`,
    );
  return { baseUrl, key, provider, id, ...sizesOf(id) };
}
