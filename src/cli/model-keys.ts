import { env } from "node:process";
import { secretForms } from "../ports/redact-secrets.ts";
import { type Environment, secretValues, takeModelKeys } from "../processes/environment.ts";

/** The model keys that this process was started with; after the first call they are stored only here. */
export function ourKeys(): Environment {
  taken ??= takeModelKeys(env);
  return taken;
}

/** The environment that this process was started with, model keys included. */
export const ourEnvironment = (): Environment => ({ ...env, ...ourKeys() });

/** The secret values, to be redacted from output. */
export const ourSecrets = (): readonly string[] => secretForms(secretValues(ourEnvironment()));

let taken: Environment | undefined;
