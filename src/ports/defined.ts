/** The fields that have a value, for objects whose optional keys must be absent rather than undefined. */
export function defined<T extends object>(fields: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}
