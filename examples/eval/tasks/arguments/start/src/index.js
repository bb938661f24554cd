/** Parses command-line arguments: `--name value`, `--name=value`, `--flag`, `--no-flag`, and `--`. */
export function parse(words, { flags = [] } = {}) {
  const options = {};
  const rest = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === "--") return { options, rest: [...rest, ...words.slice(at + 1)] };
    const [, no, name, value] = /^--(no-)?([^=]+)(?:=(.+))?$/s.exec(word) ?? [];
    if (name === undefined) rest.push(word);
    else if (no !== undefined && flags.includes(name)) options[name] = false;
    else if (value !== undefined) options[(no ?? "") + name] = value;
    else if (flags.includes(name)) options[name] = true;
    else options[(no ?? "") + name] = words[++at];
  }
  return { options, rest };
}
