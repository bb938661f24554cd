import { general } from "./command.ts";

export const list = general({
  name: "list",
  takes: "",
  group: "look",
  doc: "shows the status of all runs of the pull request",
  read: () => ({}),
  act: async (host) => await host.reply(await host.list()),
});
