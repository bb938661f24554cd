/**
 * Removes text that only models read: characters of Unicode's tag block, and runs of variation selectors, which can
 * encode bytes. People see them neither in a file or an answer nor in the log. Flags of regions, which use tag
 * characters, are kept.
 */
export function withoutHiddenText(prompt: string): string {
  return prompt.replace(hidden, (section) => (flag.test(section) ? section : ""));
}

const hidden =
  /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}|[\u{e0000}-\u{e007f}]+|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}/gu;
const flag = /^\u{1f3f4}/u;
