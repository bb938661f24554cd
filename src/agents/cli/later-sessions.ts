import type { Sessions } from "./cli-definition.ts";

/** Sessions whose code is loaded when a run first needs it. */
export const laterSessions = (load: () => Promise<Sessions>): Sessions => ({
  travel: true,
  keep: async (session) => await (await load()).keep(session),
  isHere: async (session) => await (await load()).isHere(session),
  bring: async (session) => await (await load()).bring(session),
});
