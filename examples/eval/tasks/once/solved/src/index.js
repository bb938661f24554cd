/** Calls a function once: later and parallel callers get the same result. After a failure, it is called again. */
export function once(work) {
  let answer;
  return () => {
    answer ??= work().catch((error) => {
      answer = undefined;
      throw error;
    });
    return answer;
  };
}
