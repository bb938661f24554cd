/** Calls a function once: later and parallel callers get the same result. After a failure, it is called again. */
export function once(work) {
  let answer;
  return async () => {
    answer ??= await work();
    return answer;
  };
}
