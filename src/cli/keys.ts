import { env } from "node:process";
import { type Environment, secretValues, takeModelKeys } from "../adapters/environment.ts";
import { secretForms } from "../ports/secret.ts";

/** The keys of models that this process was started with; from the first call on they stand here only. */
export function ourKeys(): Environment {
  taken ??= takeModelKeys(env);
  return taken;
}

/** What this process was started with, keys of models included. */
export const ourEnvironment = (): Environment => ({ ...env, ...ourKeys() });

/** What nobody may read of that, to be struck from what people see. */
export const ourSecrets = (): readonly string[] => secretForms(secretValues(ourEnvironment()));

let taken: Environment | undefined;
