/** How good the work of one attempt at a goal is, as far as known. */
export interface Grade {
  readonly green: boolean;
  /** It is green, but a person must look at it first. */
  readonly review?: true | undefined;
  /** Failing tests after the last check; `undefined` if the check did not report a number. */
  readonly failing?: number | undefined;
  /** Added and removed lines. */
  readonly lines?: number | undefined;
}

export interface Attempt extends Grade {
  /** Whether it started from the published work, and so contains all of it. */
  readonly continues: boolean;
  /** Whether it was measured on the same base commit as the published work. */
  readonly sameBase: boolean;
}

/**
 * Why an attempt must not replace the published work; `undefined` if it may. Green beats red, then fewer failing tests
 * win, then the smaller diff. If nothing can be compared, the newer attempt wins.
 */
export function whyWorse(attempt: Attempt, published: Grade): string | undefined {
  if (published.green)
    return attempt.green
      ? lessProved(attempt, published)
      : "the published work is green and this attempt is not";
  if (attempt.green || !attempt.sameBase) return undefined;
  const { failing: now, lines } = attempt;
  const { failing: before, lines: linesBefore } = published;
  if (now === undefined || before === undefined)
    return attempt.continues ? undefined : smaller(lines, linesBefore);
  if (now !== before) return now < before ? undefined : `${now} tests fail, ${before} in the published work`;
  return smaller(lines, linesBefore);
}

const lessProved = (attempt: Grade, published: Grade) =>
  attempt.review === true && published.review !== true
    ? "the published work is green, and this attempt has to be reviewed first"
    : undefined;

function smaller(lines: number | undefined, before: number | undefined): string | undefined {
  return lines === undefined || before === undefined || lines <= before
    ? undefined
    : `it fixes no more tests with ${lines} changed lines instead of ${before}`;
}

/** The trailer that records the grade of a published commit. */
export const gradeTrailer = (grade: Grade): string =>
  [
    `${trailer} ${grade.green ? "green" : "red"}`,
    ...(grade.review === true ? ["review=1"] : []),
    ...(grade.failing === undefined ? [] : [`failing=${grade.failing}`]),
    ...(grade.lines === undefined ? [] : [`lines=${grade.lines}`]),
  ].join(" ");

const trailer = "Until-Green-Grade:";

/** The grade in the message of a published commit; `undefined` if the version that wrote it recorded none. */
export function gradeIn(message: string): Grade | undefined {
  const [, colour, rest = ""] = /^Until-Green-Grade: (green|red)((?: \w+=\d+)*)$/m.exec(message) ?? [];
  if (colour === undefined) return undefined;
  const numberOf = (name: string) => {
    const value = new RegExp(`(?:^| )${name}=(\\d{1,9})(?: |$)`).exec(rest)?.[1];
    return value === undefined ? {} : { [name]: Number(value) };
  };
  const review = "review" in numberOf("review") ? ({ review: true } as const) : {};
  return { green: colour === "green", ...review, ...numberOf("failing"), ...numberOf("lines") };
}
