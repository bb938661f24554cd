/** A module was used before it was loaded. */
export class NotLoadedError extends Error {
  override readonly name = "NotLoadedError";
  readonly load: () => Promise<void>;

  constructor(load: () => Promise<void>) {
    super("a part of the program is not loaded yet");
    this.load = load;
  }
}

/** A module that few runs need. */
export interface LazyModule<T> {
  load(): Promise<void>;
  /** Its exports; throws `NotLoadedError` if it is not loaded. */
  get(): T;
}

/** Declares a module that is loaded on demand. */
export function lazyModule<T>(bring: () => Promise<T>): LazyModule<T> {
  let loaded: { readonly content: T } | undefined;
  const load = async () => {
    loaded ??= { content: await bring() };
  };
  return {
    load,
    get() {
      if (loaded === undefined) throw new NotLoadedError(load);
      return loaded.content;
    },
  };
}

/** Runs a function without side effects, and repeats it after loading each module that it needs. */
export async function withLazyModules<T>(work: () => T): Promise<T> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof NotLoadedError)) throw error;
      await error.load();
    }
  }
}
