const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Merges settings into their defaults, at every depth; a list replaces a list. Changes neither argument. */
export function merge(defaults, settings) {
  const merged = { ...defaults };
  for (const [key, value] of Object.entries(settings)) {
    if (key === "__proto__") continue;
    merged[key] = isObject(value) && isObject(merged[key]) ? merge(merged[key], value) : value;
  }
  return merged;
}
