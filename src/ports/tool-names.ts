/** What a tool allows an agent to do, independent of the product. */
export type Capability = "read" | "list" | "search" | "edit" | "write" | "shell" | "web" | "agent";

/**
 * Tool names of Claude, Codex, Gemini, Copilot, opencode, zenflow and the built-in agent; lower case, without
 * separators.
 */
const toolNames: Readonly<Record<Capability, readonly string[]>> = {
  read: ["read", "readfile", "readmanyfiles", "view", "notebookread", "fileio"],
  list: ["list", "ls", "listdirectory"],
  search: ["grep", "glob", "search", "rg", "searchfilecontent", "findfiles"],
  edit: ["edit", "multiedit", "replace", "applypatch", "patch", "notebookedit", "strreplace"],
  write: ["write", "writefile", "create"],
  shell: ["bash", "shell", "runshellcommand", "terminal", "exec", "bashoutput", "killbash", "job"],
  web: ["webfetch", "websearch", "fetch", "httprequest", "googlewebsearch", "http"],
  agent: ["task", "agent", "subagent"],
};

const byWord: ReadonlyMap<string, Capability> = new Map(
  Object.entries(toolNames).flatMap(([capability, names]) =>
    names.map((name) => [name, capability as Capability] as const),
  ),
);

/** The capability of a tool with this name; `undefined` for a tool of an MCP server or a custom one. */
export const capabilityOf = (name: string): Capability | undefined =>
  byWord.get(name.toLowerCase().replaceAll(/[-_ ]|\(.*\)$/g, ""));
