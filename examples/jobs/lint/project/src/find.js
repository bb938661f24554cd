export function find(list, wanted) {
  var found = undefined;
  for (const one of list) if (one == wanted) found = one;
  return found;
}
