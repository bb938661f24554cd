#!/usr/bin/env node
import { help, leastNode, version } from "./help.ts";
import { print, say, show } from "./print.ts";

// SIGUSR1 would open Node's inspector on loopback, for every process of this user.
process.on("SIGUSR1", () => {});

// Help and version are answered before large modules are loaded.
const [first = "", ...rest] = process.argv.slice(2);
const isHelpOf = first === "help" && rest[0] !== undefined && !rest[0].startsWith("-");
const args = isHelpOf ? [rest[0] ?? "", "--help"] : process.argv.slice(2);
if (args.length === 0 || ["-h", "--help", "help"].includes(args[0] ?? "")) {
  show(help);
  process.exitCode = args.length === 0 ? 2 : 0;
} else if (/^(?:--version|-v|-V)$/.test(args[0] ?? "")) {
  print(`${version}\n`);
} else if (Number.parseInt(process.versions.node, 10) < leastNode) {
  say(`until-green: Node ${leastNode} or newer is needed; this is ${process.version}\n`);
  process.exitCode = 1;
} else {
  if (process.env["UNTIL_GREEN_STARTER"] !== undefined) (await import("./bundled-node.ts")).endWithStarter();
  const { main } = await import("./program.ts");
  process.exitCode = await main(args);
}
