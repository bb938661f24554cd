/**
 * Whether an index may name repositories: it contains git's mode for them, or the name of a shared index, which holds a
 * part of the entries. Other bytes can look the same.
 */
export const mayNameRepositories = (index: Buffer): boolean => index.includes(mode) || index.includes(shared);

const mode = Buffer.from([0x00, 0x00, 0xe0, 0x00]);
/** The `link` extension and the first byte of its length. */
const shared = Buffer.from("link\0");
