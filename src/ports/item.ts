/** One item of a run that is spread over several jobs. Each item is a run of its own. */
export interface Item {
  /** The id of the run that it belongs to. */
  readonly of: string;
  /** Counted from 1. */
  readonly number: number;
}

/** The id of an item's run. */
export const itemRun = ({ of, number }: Item): string => `${of}-item-${number}`;

/** The item whose run has this id; `undefined` if the run is not an item. */
export function itemOf(runId: string): Item | undefined {
  const [, of, number] = /^([a-z0-9][a-z0-9-]{5,})-item-([1-9]\d{0,3})$/.exec(runId) ?? [];
  return of === undefined ? undefined : { of, number: Number(number) };
}
