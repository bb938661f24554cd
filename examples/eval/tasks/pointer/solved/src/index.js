/** The value at a JSON pointer such as `/a/0/b~1c`; undefined if there is none. */
export function at(value, pointer) {
  if (pointer === "") return value;
  let found = value;
  for (const part of pointer.slice(1).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}
