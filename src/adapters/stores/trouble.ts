/** Does something with the files of a run; what the disk refuses becomes a sentence with the path and what to do. */
export async function withTrouble<T>(path: string, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { code = "", dest, path: source } = error as NodeJS.ErrnoException & { readonly dest?: string };
    const sentence = sentences[code];
    if (sentence === undefined) throw error;
    throw new Error(`${sentence(dest ?? source ?? path)} (${code})`, { cause: error });
  }
}

const full = (path: string) =>
  `no space is left for ${path}: nothing was recorded; free some space and resume the run`;
const forbidden = (path: string) =>
  `${path} cannot be read or written: give this user the right to, or choose another folder with --store dir:PATH`;
const noFolder = (path: string) =>
  `${path} is not a folder, or something on the way to it is not: choose another with --store dir:PATH`;

const sentences: Readonly<Record<string, (path: string) => string>> = {
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: full,
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: forbidden,
  // What Node says of a folder to be made where nothing can be written.
  ENOENT: forbidden,
  ENOTDIR: noFolder,
  EEXIST: noFolder,
  EISDIR: noFolder,
};
