/** A setting in a configuration file, with section and key in lowercase. */
export interface GitSetting {
  readonly name: string;
  readonly value: string;
}

/** The settings in a configuration file; `undefined` if only git itself could parse it. */
export function settingsIn(text: string): readonly GitSetting[] | undefined {
  const settings: GitSetting[] = [];
  let section = "";
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "" || /^[#;]/.test(line)) continue;
    const head = /^\[([\w.-]+)(?: "([^"\\]*)")?\]$/.exec(line);
    const pair = /^([A-Za-z][\w-]*)(?:\s*=\s*([^\\]*))?$/.exec(line);
    if (head !== null)
      section = [head[1]?.toLowerCase(), head[2]].filter((part) => part !== undefined).join(".");
    else if (pair !== null)
      settings.push({ name: `${section}.${pair[1]?.toLowerCase()}`, value: pair[2] ?? "" });
    else return undefined;
  }
  return settings;
}

/** True if git starts no program because of this setting. */
export const startsNoProgram = (name: string): boolean => harmless.test(name);

const harmless =
  /^(core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|longpaths|worktree)|extensions\.(objectformat|refstorage)|init\.defaultbranch|user\.(name|email)|remote\.[^\n]+\.(url|fetch)|branch\.[^\n]+\.(remote|merge|rebase)|submodule\.[^\n]+\.(url|active))$/;

/** Settings as the text of a configuration file. */
export const settingsText = (settings: readonly (readonly [name: string, value: string])[]): string =>
  settings.map(([name, value]) => line(name, value)).join("");

function line(name: string, value: string): string {
  const first = name.indexOf(".");
  const last = name.lastIndexOf(".");
  const inner = first === last ? "" : ` ${quoted(name.slice(first + 1, last))}`;
  return `[${name.slice(0, first)}${inner}]\n\t${name.slice(last + 1)} = ${quoted(value)}\n`;
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
