import type { Environment } from "../../processes/environment.ts";
import type { CliDefinition, KeySource } from "./cli-definition.ts";

/** The first available key that gives access to the model. */
export function keyOf({ keys }: CliDefinition, { environment, model }: Access): KeySource | undefined {
  return keys.find(
    (key) => (environment[key.variable] ?? "").trim() !== "" && (key.serves?.(model, environment) ?? true),
  );
}

interface Access {
  readonly environment: Environment;
  readonly model?: string | undefined;
}

/** Names the keys of which one is needed; `undefined` if there is one, or a login. */
export const missingKey = (cli: CliDefinition, request: Access): string | undefined =>
  keyOf(cli, request) !== undefined || cli.hasLogin(request.environment) ? undefined : noKey(cli, request);

/** Names the keys that would give access to the requested model. */
function noKey({ name, keys, program }: CliDefinition, { model, environment }: Access): string {
  const serving = keys.filter(({ serves }) => serves?.(model, environment) ?? true);
  const names = [...new Set((serving.length === 0 ? keys : serving).map(({ variable }) => variable))];
  const others = names.length < 2 ? "" : ` (or ${names.slice(1).join(", ")})`;
  const which = model === undefined ? "" : ` for ${model.slice(0, 100)}`;
  return `${name} has no key${which}: set the variable ${names[0]}${others}, in a job from a secret, or log in with \`${program.name}\` on this machine`;
}
