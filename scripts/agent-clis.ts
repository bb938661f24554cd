// Installs the agents that test/real-agents/ uses, in exact versions, in a separate folder: more than a gigabyte that
// only those tests need. Prints the folder; does nothing if they are installed.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentClis, isInstalled } from "../test/real-agents/agent-clis.ts";

const wanted = readFileSync("test/real-agents/clis/package.json", "utf8");
if (isInstalled()) {
  console.log(`the agents are in ${agentClis}`);
} else {
  console.log(`installing the agents in ${agentClis}`);
  mkdirSync(agentClis, { recursive: true });
  writeFileSync(join(agentClis, "package.json"), wanted);
  const quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  execFileSync("npm", ["install", ...quiet], { cwd: agentClis, stdio: "inherit" });
  writeFileSync(join(agentClis, "installed.json"), wanted);
}
