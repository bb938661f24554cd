/**
 * Programs that speak the Agent Client Protocol, and the command that starts each of them so. A new one is a row;
 * any other is `acp:COMMAND`. Sources: the registry of the protocol, and each program's own help.
 */
export const acpPrograms: Readonly<Record<string, string>> = {
  amp: "amp-acp",
  auggie: "auggie --acp",
  cline: "cline --acp",
  copilot: "copilot --acp",
  cursor: "cursor-agent acp",
  droid: "droid exec --output-format acp",
  "fast-agent": "fast-agent-acp",
  gemini: "gemini --acp",
  goose: "goose acp",
  junie: "junie --acp true",
  kimi: "kimi acp",
  kiro: "kiro-cli acp",
  opencode: "opencode acp",
  openhands: "openhands acp",
  qwen: "qwen --acp",
  stakpak: "stakpak acp",
  vibe: "vibe-acp",
};
