const parse = (version) => {
  const [numbers, pre = ""] = version.split("+")[0].split(/-(.*)/s);
  return { numbers: numbers.split(".").map(Number), pre: pre === "" ? [] : pre.split(".") };
};

/** Compares two semantic versions: returns a negative number, 0 or a positive number. */
export function compare(left, right) {
  const [a, b] = [parse(left), parse(right)];
  for (let at = 0; at < 3; at += 1)
    if (a.numbers[at] !== b.numbers[at]) return a.numbers[at] - b.numbers[at];
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length;
  for (let at = 0; at < Math.max(a.pre.length, b.pre.length); at += 1) {
    const difference = comparePart(a.pre[at], b.pre[at]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function comparePart(a, b) {
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}
