/** Why a file cannot be read, as half a sentence. */
export const noSuchFile = "there is no such file";

/** The same by the system's error code. */
export const unreadable: Readonly<Record<string, string>> = {
  ENOENT: noSuchFile,
  ENOTDIR: noSuchFile,
  EISDIR: "it is a folder",
  EACCES: "this user may not read it",
};
