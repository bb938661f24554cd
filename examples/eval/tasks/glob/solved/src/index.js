/** Whether a path matches a pattern: `*` is any part of a name, `**` any folders, `?` one character of a name. */
export function fits(path, pattern) {
  const source = pattern.replace(/\*\*\/|\*\*|\*|\?|[.+^${}()|[\]\\]/g, (part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    if (part === "?") return "[^/]";
    return `\\${part}`;
  });
  return new RegExp(`^${source}$`).test(path);
}
