/** A text without colours and cursor movements of terminals. */
export const withoutControlSequences = (text: string): string => text.replaceAll(sequence, "");

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin with an escape character
const sequence = /\u001b\[[0-9;?]*[A-Za-z]/g;
