import { anyRun } from "./applies-to.ts";
import { aboutRun } from "./command.ts";

export const status = aboutRun({
  name: "status",
  takes: "",
  group: "look",
  doc: "shows the status of a run",
  who: "commanders",
  appliesTo: anyRun,
  reply: (runs) => runs.map(({ line }) => line).join("\n"),
});
