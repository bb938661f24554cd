/** A span that has ended, as OpenTelemetry means it; times are ISO 8601. */
export interface EndedSpan extends OpenSpan {
  /** The key of the span around it; the run has none. */
  readonly parent: string | undefined;
  readonly end: string;
  /** It ended in an error: which, as a word. */
  readonly error: string | undefined;
}

export type Attributes = Readonly<Record<string, string | number | boolean>>;

interface OpenSpan {
  /** Names it within its run: the same in every process that drives the run. */
  readonly key: string;
  readonly name: string;
  readonly kind: "internal" | "client";
  readonly start: string;
  readonly attributes: Attributes;
}

/** The key of the run's own span. */
export const root = "/";

/** The spans of a run that are open. */
export interface SpanTree {
  has(key: string): boolean;
  /** Opens a span inside the innermost one that is open around a path. */
  begin(span: Omit<OpenSpan, "kind"> & { readonly kind?: "client" }, path: string): undefined;
  note(key: string, attributes: Attributes): undefined;
  /** Ends a span; first ends the spans still open inside it, as interrupted. */
  end(key: string, at: string, how?: Ending): readonly EndedSpan[];
  attribute(key: string, name: string): Attributes[string] | undefined;
}

export interface Ending {
  readonly more?: Attributes;
  readonly error?: string | undefined;
}

export function createSpanTree(): SpanTree {
  const open = new Map<string, Omit<EndedSpan, "end" | "error">>();
  const enclosing = (path: string): string => {
    for (let place = path; place !== ""; place = outer(place)) if (open.has(place)) return place;
    return root;
  };
  const end: SpanTree["end"] = (key, at, { more = {}, error } = {}) => {
    const span = open.get(key);
    if (span === undefined) return [];
    open.delete(key);
    const inner = [...open.values()].filter(({ parent }) => parent === key);
    const cut = inner.flatMap((each) => end(each.key, at, { error: "interrupted" }));
    const attributes = {
      ...span.attributes,
      ...more,
      ...(error === undefined ? {} : { "error.type": error }),
    };
    return [...cut, { ...span, end: at, attributes, error }];
  };
  return {
    has: (key) => open.has(key),
    begin(span, path) {
      const parent = span.key === root ? undefined : enclosing(path);
      open.set(span.key, { kind: "internal", ...span, parent });
    },
    note(key, attributes) {
      const span = open.get(key);
      if (span !== undefined) open.set(key, { ...span, attributes: { ...span.attributes, ...attributes } });
    },
    end,
    attribute: (key, name) => open.get(key)?.attributes[name],
  };
}

/** The place around a place: `/fix#2?1` is in `/fix#2`, that in `/fix`; the outermost is in "". */
export const outer = (path: string): string => path.replace(/[/#?!][^/#?!]*$/, "");
