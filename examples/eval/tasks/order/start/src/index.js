/** Sorts names so that each comes after its dependencies. Throws for a cycle and for an unknown name. */
export function inOrder(needs) {
  const state = new Map();
  const ordered = [];
  const visit = (name, path) => {
    if (!Object.hasOwn(needs, name)) throw new Error(`unknown: ${name}`);
    if (state.has(name)) return;
    state.set(name, "open");
    for (const other of needs[name]) visit(other, [...path, name]);
    state.set(name, "done");
    ordered.push(name);
  };
  for (const name of Object.keys(needs)) visit(name, []);
  return ordered;
}
