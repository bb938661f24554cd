import type { Environment } from "../../processes/environment.ts";

/** The variables of an environment whose names fit a pattern. */
export const picked = (environment: Environment, names: RegExp): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => names.test(name)));
