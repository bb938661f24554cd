const steps = [
  { from: 100, percent: 15 },
  { from: 50, percent: 10 },
  { from: 10, percent: 5 },
];

/** The volume discount on so many pieces, in percent. */
export function discountPercent(pieces) {
  return steps.find((step) => pieces > step.from)?.percent ?? 0;
}
