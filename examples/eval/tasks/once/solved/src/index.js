/** Calls a function once; later and parallel callers get the same answer, and a failure is tried again. */
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
