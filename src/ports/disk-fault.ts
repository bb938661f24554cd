/** A disk is full or fails. No node is to blame, and the run can be resumed once it is fixed. */
export class DiskFault extends Error {
  readonly code: string;

  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** The disk error behind an error, as a sentence with the path and a remedy; `undefined` for other errors. */
export function diskFault(error: unknown, path = aFile): DiskFault | undefined {
  if (error instanceof DiskFault) return error;
  return faultOf(error, { code: codeOf(error), path, sentences: faults });
}

/** The same from the output of a program that prints only the system's error message. */
export function diskFaultIn(text: string, path = aFile): DiskFault | undefined {
  const entry = Object.entries(systemWords).find(([message]) => text.includes(message));
  return entry && faultOf(new Error(text), { code: entry[1], path, sentences: faults });
}

/** Accesses files in our own folders; a disk error becomes a sentence with a remedy. */
export async function withDiskFaults<T>(path: string, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw diskFault(error, path) ?? error;
  }
}

/** The name for an unknown file. */
const aFile = "a file";

/** Accesses a run's files; disk errors, also those of an unusable folder, become a sentence with a remedy. */
export async function withDiskErrors<T>(path: string, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw faultOf(error, { code: codeOf(error), path, sentences: { ...faults, ...refusals } }) ?? error;
  }
}

interface Fault {
  readonly code: string;
  readonly path: string;
  readonly sentences: typeof faults;
}

function faultOf(error: unknown, { code, path, sentences }: Fault): DiskFault | undefined {
  const { dest, path: source } = error as { readonly dest?: string; readonly path?: string };
  const sentence = sentences[code];
  return sentence && new DiskFault(sentence(dest ?? source ?? path, code), code, error);
}

/** Linux errors that Node does not name. */
const unnamed: Readonly<Record<number, string>> = { 122: "EDQUOT" };

function codeOf(error: unknown): string {
  const { errno, code } = (error ?? {}) as { readonly errno?: number; readonly code?: string };
  return (errno === undefined ? undefined : unnamed[-errno]) ?? code ?? "";
}

/** Where no run is known, there is none to resume: the command itself is repeated. */
export const withoutRun = (message: string): string =>
  message.replace(/, then resume the run$/, ", then repeat the command");

/** The first thing to say when a place of the record fails. */
export const nothingLost = "what was recorded is not lost";

/** True if a disk is full. */
export const isFull = (error: unknown): boolean => faults[codeOf(error)] === full;

const full = (path: string, code: string) =>
  `no space is left for ${path} (${code}): what was recorded before is not lost; free some space, then resume the run`;
const faulty = (path: string, code: string) =>
  `the disk failed at ${path} (${code}): what was recorded before is not lost; check the disk, then resume the run`;
const tooMany = (path: string, code: string) =>
  `${path} cannot be opened, as too many files are open (${code}): ${nothingLost}; ` +
  "end other programs or raise the limit (ulimit -n), then resume the run";
const readOnly = (path: string, code: string, otherwise = "") =>
  `${path} is on a disk that is read-only now (${code}): ${nothingLost}; ` +
  `${otherwise}make it writable, then resume the run`;
const forbidden = (path: string, code: string) =>
  `${path} cannot be read or written (${code}): give this user permission, or choose another folder with --store dir:PATH`;

const faults: Readonly<Record<string, (path: string, code: string) => string>> = {
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: full,
  EROFS: readOnly,
  EIO: faulty,
  // A network disk that was replaced, or mounted again.
  ESTALE: faulty,
  EMFILE: tooMany,
  ENFILE: tooMany,
};

/** Errors of a folder that the user chose. */
const refusals: typeof faults = {
  EROFS: (path, code) => readOnly(path, code, "start a new run with --store dir:PATH, or "),
  EACCES: forbidden,
  EPERM: forbidden,
  // Node's error for creating a folder in a place that is not writable.
  ENOENT: forbidden,
  ELOOP: inItsState,
  ENOTDIR: inItsState,
  EEXIST: inItsState,
  EISDIR: inItsState,
};

/** Any other error of one of our files, as a sentence with its path and a remedy. */
export function fileFault(error: unknown): Error | undefined {
  const {
    syscall,
    code = "",
    path = code === "EISDIR" ? aFile : undefined,
  } = (error ?? {}) as NodeJS.ErrnoException;
  // The path of a program that cannot be started is its name.
  if (path === undefined || syscall === undefined || syscall.startsWith("spawn")) return undefined;
  return new Error(`${inItsState(path, code)}, then repeat the command`, { cause: error });
}

function inItsState(path: string, code: string): string {
  const [state, remedy] = states[code] ?? ["cannot be used", "look at what is there"];
  return `${path} ${state} (${code}): ${remedy}`;
}

const unusable = ["cannot be read or written", "give this user permission"] as const;
const misplaced = [
  "is not a folder, or something on the way to it is not",
  "move away what is in its place",
] as const;
const states: Readonly<Record<string, readonly [state: string, remedy: string]>> = {
  EACCES: unusable,
  EPERM: unusable,
  ENOTDIR: misplaced,
  EEXIST: misplaced,
  EISDIR: ["is a folder and must be a file", "move it away, or put the file back from a copy"],
  ELOOP: ["is in a loop of symbolic links", "remove it, or put the file back from a copy"],
  ENOENT: ["is missing, or a link to it leads nowhere", "put it back from a copy"],
};

const systemWords: Readonly<Record<string, string>> = {
  "No space left on device": "ENOSPC",
  "Disk quota exceeded": "EDQUOT",
  "File too large": "EFBIG",
  "Read-only file system": "EROFS",
  "Input/output error": "EIO",
  "Stale file handle": "ESTALE",
  "Too many open files": "EMFILE",
};
