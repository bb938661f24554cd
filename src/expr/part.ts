/** A piece of the program that was needed before it was loaded. */
export class UnloadedError extends Error {
  override readonly name = "UnloadedError";
  readonly load: () => Promise<void>;

  constructor(load: () => Promise<void>) {
    super("a part of the program is not loaded yet");
    this.load = load;
  }
}

/** A piece of the program that few runs need. */
export interface Part<T> {
  load(): Promise<void>;
  /** What is in it; throws an `UnloadedError` before it is loaded. */
  get(): T;
}

/** Says how a piece of the program is loaded when it is first needed. */
export function openPart<T>(bring: () => Promise<T>): Part<T> {
  let brought: { readonly content: T } | undefined;
  const load = async () => {
    brought ??= { content: await bring() };
  };
  return {
    load,
    get() {
      if (brought === undefined) throw new UnloadedError(load);
      return brought.content;
    },
  };
}

/** Does what changes nothing, and does it again with each part that it turns out to need. */
export async function withParts<T>(work: () => T): Promise<T> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof UnloadedError)) throw error;
      await error.load();
    }
  }
}
