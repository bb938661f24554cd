/**
 * A prompt without text that only models read: letters of Unicode's tag block, and variation selectors in a row, which
 * encode bytes. Nobody sees them, neither in a file or an answer nor in the record. Flags of regions, which have letters
 * of that block, stay.
 */
export function withoutHiddenText(prompt: string): string {
  return prompt.replace(hidden, (found) => (flag.test(found) ? found : ""));
}

const hidden =
  /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}|[\u{e0000}-\u{e007f}]+|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}/gu;
const flag = /^\u{1f3f4}/u;
