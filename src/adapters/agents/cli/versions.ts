/** The version of each agent's npm package that is installed where it is not there: the one that our tests run. */
export const testedVersions: Readonly<Record<string, string>> = {
  "@anthropic-ai/claude-code": "2.1.330",
  "@github/copilot": "1.0.102",
  "@google/gemini-cli": "0.61.0",
  "@openai/codex": "0.169.0",
  "opencode-ai": "1.18.33",
};
