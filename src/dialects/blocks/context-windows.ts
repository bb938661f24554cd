/** Context windows of models in tokens, by prefix of the name. */
const windows: readonly (readonly [string, number])[] = [
  ["gpt-4o", 128_000],
  ["gpt-4-turbo", 128_000],
  ["gpt-4.1", 1_047_576],
  ["gpt-5", 400_000],
  ["gemini-1.5", 1_048_576],
  ["gemini-2", 1_048_576],
];

const unknownWindow = 200_000;
const share = 0.03;
const charactersOfToken = 4;

/** Maximum characters of carried context that leave enough of the smallest of these models' windows. */
export function carriedCharacters(models: readonly (string | undefined)[]): number {
  const sizes = models.map(
    (model) => windows.find(([name]) => model?.startsWith(name))?.[1] ?? unknownWindow,
  );
  const smallest = sizes.length === 0 ? unknownWindow : Math.min(...sizes);
  return Math.floor(smallest * share * charactersOfToken);
}
