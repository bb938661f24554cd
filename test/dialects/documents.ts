import { fc } from "../parts/random.ts";

/** Makes documents that are nearly of a language: its keys, with values that may mean something there or nothing. */
export function documentsOf(words: readonly string[]) {
  const scalar = fc.oneof(fc.constantFrom(...words), fc.constantFrom(0, 1, 3, 1.5, -1, true, false, null));
  const loose = fc.oneof(
    { weight: 3, arbitrary: scalar },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );
  const mapping = (fields: object, inner: Readonly<Record<string, fc.Arbitrary<unknown>>> = {}) =>
    fc
      .uniqueArray(fc.constantFrom(...Object.keys(fields), "toString"), { maxLength: 8 })
      .chain((keys) =>
        fc.record(
          Object.fromEntries(
            keys.map((key) => [key, (Object.hasOwn(inner, key) ? inner[key] : undefined) ?? loose]),
          ),
        ),
      );
  return { scalar, loose, mapping };
}
