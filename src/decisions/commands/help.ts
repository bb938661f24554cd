import { general } from "./command.ts";

export const help = general({
  name: "help",
  takes: "",
  group: "look",
  doc: "shows the commands",
  read: () => ({}),
  act: (host) => host.reply(host.help()),
});
