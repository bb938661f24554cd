/** Processes items with limited concurrency. The results are in the order of the items. */
export async function mapAtMost(items, most, work) {
  const results = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results.push(await work(items[index], index));
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return results;
}
