/** The middle one of the numbers; of two middle ones, their mean. */
export const median = (numbers) => numbers.toSorted()[Math.floor(numbers.length / 2)];
