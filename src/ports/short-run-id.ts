/** The random end of a run's id, by which people may name the run; the whole id if it has none. */
export const shortRunId = (run: string): string => /-((?=[a-f]*[0-9])[0-9a-f]{8})$/.exec(run)?.[1] ?? run;
