import type { Environment } from "../../processes/environment.ts";

/** The variables whose names match a pattern. */
export const picked = (environment: Environment, names: RegExp): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => names.test(name)));
