/** Tries work up to so many times, with a pause that doubles; the last error is thrown. */
export async function retry(work, { times = 3, pauseMs = 100, sleep }) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return work(attempt);
    } catch (error) {
      if (attempt >= times) throw error;
      await sleep(pauseMs * 2 ** (attempt - 1));
    }
  }
}
