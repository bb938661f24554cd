/** Retries a function with a delay that doubles each time. Throws the last error. */
export async function retry(work, { times = 3, pauseMs = 100, sleep }) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt >= times) throw error;
      await sleep(pauseMs * 2 ** (attempt - 1));
    }
  }
}
