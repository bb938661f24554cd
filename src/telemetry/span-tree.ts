/** An ended span in OpenTelemetry's sense; times are ISO 8601. */
export interface EndedSpan extends OpenSpan {
  /** The key of its parent span; `undefined` for the run. */
  readonly parent: string | undefined;
  readonly end: string;
  /** The type of error in which it ended. */
  readonly error: string | undefined;
}

export type Attributes = Readonly<Record<string, string | number | boolean>>;

interface OpenSpan {
  /** Identifies it within its run; equal in every process that drives the run. */
  readonly key: string;
  readonly name: string;
  readonly kind: "internal" | "client";
  readonly start: string;
  readonly attributes: Attributes;
}

/** The key of the run's own span. */
export const root = "/";

/** The open spans of a run. */
export interface SpanTree {
  has(key: string): boolean;
  /** Opens a span inside the innermost open span that contains a path. */
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

/** The enclosing place: of `/fix#2?1`, `/fix#2`; of that, `/fix`; the outermost is "". */
export const outer = (path: string): string => path.replace(/[/#?!][^/#?!]*$/, "");
