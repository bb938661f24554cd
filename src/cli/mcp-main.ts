import { UsageError } from "./exit.ts";
import { mcpCommand } from "./mcp.ts";

// The whole of what an agent starts: the command line takes longer to load than this to answer.
try {
  process.exitCode = await mcpCommand(process.argv[2] ?? "");
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`until-green: ${error.message}\n`);
  process.exitCode = 2;
}
