import type { Sessions } from "./cli-definition.ts";

/** Sessions that travel, whose code is loaded when a run first has one. */
export const laterSessions = (load: () => Promise<Sessions>): Sessions => ({
  travel: true,
  keep: async (place) => await (await load()).keep(place),
  isHere: async (place) => await (await load()).isHere(place),
  bring: async (place) => await (await load()).bring(place),
});
