/** A text without the colours and cursor movements of terminals, and with LF line endings. */
export const withoutColour = (text: string) => text.replaceAll(sequence, "").replaceAll("\r\n", "\n");

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin with an escape character
const sequence = /\u001b\[[0-9;?]*[A-Za-z]/g;
