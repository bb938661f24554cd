/** Calls a function once; later and parallel callers get the same answer, and a failure is tried again. */
export function once(work) {
  let answer;
  return async () => {
    answer ??= await work();
    return answer;
  };
}
