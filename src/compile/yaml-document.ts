import {
  Composer,
  CST,
  type Document,
  isCollection,
  isScalar,
  Lexer,
  Parser,
  visit,
  type YAMLError,
} from "yaml";
import type { SourceFault } from "./check-nodes.ts";
import { yamlHint } from "./yaml-hint.ts";

/** The single document of a file as `yaml` composes it, or the first fault. */
export type ParsedYaml =
  | { readonly ok: true; readonly document: Document.Parsed }
  | { readonly ok: false; readonly fault: SourceFault };

/** A list or mapping used as a key: often text with braces that needs quotes. */
const badKey = "NON_STRING_KEY";
const maxLexemes = 500_000;
const maxAnchors = 1000;
const maxDepth = 100;

/** Parses a text within limits, which are checked on each token before anything is composed. */
export function parseYaml(source: string): ParsedYaml {
  const read = tokensOf(source);
  if (!Array.isArray(read)) return { ok: false, fault: read };
  const composer = new Composer({ uniqueKeys: false, merge: true, stringKeys: true, prettyErrors: false });
  const documents = [...composer.compose(read, true, source.length)];
  const [document, ...others] = documents;
  const second = others.find((other) => !isEmpty(other));
  const errors = documents.flatMap((it) => it.errors).toSorted((a, b) => a.pos[0] - b.pos[0]);
  const error = errors.find(({ code }) => code !== badKey) ?? errors[0];
  const open = error && document && openedBefore(error, document, source);
  if (open !== undefined) return { ok: false, fault: open };
  if (error !== undefined) return { ok: false, fault: syntaxFault(error, source) };
  if (second !== undefined) {
    const message = "The file contains several YAML documents; one workflow is one document.";
    const offset = second.contents?.range[0] ?? 0;
    return {
      ok: false,
      fault: { code: "BAD_YAML", message, offset, hint: "Put each one into a separate file." },
    };
  }
  if (document === undefined || isEmpty(document)) {
    const hint = "A workflow has a `name` and `nodes`; `until-green init` writes a first one.";
    return { ok: false, fault: { code: "BAD_YAML", message: "The file is empty.", offset: 0, hint } };
  }
  return { ok: true, document };
}

/** The top-level tokens of a text up to the first error, or the limit it exceeds. */
function tokensOf(source: string): CST.Token[] | SourceFault {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  const counts: Counts = { lexemes: 0, anchors: 0, values: 0 };
  for (const lexeme of new Lexer().lex(source)) {
    const { offset } = parser;
    const excess = excessOf(lexeme, counts, parser);
    if (excess !== undefined) return { code: "LIMIT", message: excess, offset };
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === "directive" && token.source.startsWith("%TAG"))
        return { code: "BAD_YAML", message: "A %TAG directive is not allowed.", offset };
    }
    if (tokens.at(-1)?.type === "error" || isSecondValue(lexeme, counts)) break;
  }
  return [...tokens, ...parser.end()];
}

interface Counts {
  lexemes: number;
  anchors: number;
  /** Values on this line since the last separator. */
  values: number;
}

/** True if two values follow each other with no separator: an error, reported once. */
function isSecondValue(lexeme: string, counts: Counts): boolean {
  if (lexeme === CST.SCALAR || /^["'*!\]}]/.test(lexeme)) return ++counts.values > 100;
  if (/^[-?:,[{\n\r]/.test(lexeme)) counts.values = 0;
  return false;
}

/** The limit that a text exceeds with this lexeme, as a sentence. */
function excessOf(lexeme: string, counts: Counts, { stack }: Parser): string | undefined {
  if (++counts.lexemes > maxLexemes) return "The file contains too many values.";
  if (lexeme.startsWith("&") && ++counts.anchors > maxAnchors)
    return `The file has more than ${maxAnchors} anchors.`;
  // The stack also contains the document and the current value.
  return stack.length > maxDepth + 2 ? `Values are nested more than ${maxDepth} deep.` : undefined;
}

/** True if nothing is written; an explicit `null` is a value. */
const isEmpty = ({ contents }: Document.Parsed): boolean =>
  contents === null ||
  ("source" in contents && contents.source === "" && contents.range[0] === contents.range[1]);

/** The position of an unclosed quote or bracket. The parser reports the end of the file instead. */
function openedBefore(
  { message }: YAMLError,
  document: Document.Parsed,
  source: string,
): SourceFault | undefined {
  if (!/^(?:Missing closing|Flow \w+ in block)/.test(message)) return undefined;
  let open: number | undefined;
  visit(document, {
    Node(_, node) {
      const { range } = node;
      const isOpen = isScalar(node) ? /^QUOTE/.test(node.type ?? "") : isCollection(node) && node.flow;
      // In the first multi-line string, the quote that seems to close it actually opens the next string.
      if (!isOpen || !range || !source.slice(range[0], range[1]).includes("\n")) return undefined;
      open = range[0];
      return isScalar(node) ? visit.BREAK : undefined;
    },
  });
  if (open === undefined) return undefined;
  const sign = source[open];
  const end = { "[": "]", "{": "}" }[sign ?? ""] ?? sign;
  const hint = `Add the missing \`${end}\`.`;
  return { code: "BAD_YAML", message: `This \`${sign}\` is not closed.`, offset: open, hint };
}

function syntaxFault(error: YAMLError, source: string): SourceFault {
  const [at] = error.pos;
  const offset = placeOf(error, source);
  const hint = yamlHint({ code: error.code, message: error.message, source, offset: at });
  const more = hint === undefined ? {} : { hint };
  if (error.code === badKey)
    return { code: "BAD_YAML", message: "A key must be text, not a list or mapping.", offset, ...more };
  const text = error.message.replace(/^Missing closing (.)quote$/, "a closing $1 is missing");
  const reason = text.charAt(0).toLowerCase() + text.slice(1).trimEnd();
  const message = `The file is not YAML: ${reason.replace(/\.$/, "")}.`;
  return { code: "BAD_YAML", message, offset, ...more };
}

/**
 * The position where people look for the error: the second colon of `a: b: c`, or the text after a line's
 * indentation.
 */
function placeOf({ code, pos }: YAMLError, source: string): number {
  const [at] = pos;
  if (code === "BLOCK_AS_IMPLICIT_KEY") {
    const colon = /^[^\n]*?:(?=\s)/.exec(source.slice(at, at + 1000))?.[0];
    return colon === undefined ? at : at + colon.length - 1;
  }
  return at + (/^ */.exec(source.slice(at, at + 1000))?.[0].length ?? 0);
}
