/** Parses a configuration with limits, so that no input can use much time, memory or stack. */

import { Composer, CST, type Document, Lexer, LineCounter, type ParsedNode, Parser } from "yaml";

/** Beyond these limits a text is no configuration; 500 lines have about 20,000 characters and 5,000 lexemes. */
const MAX_CHARACTERS = 256 * 1024;
const MAX_LEXEMES = 12_000;
/** A real configuration uses a few dozen aliases. */
const MAX_ALIASES = 500;
/** More syntax errors add no information, and each one takes time. */
const MAX_STRAY = 100;
/** Maximum nesting. The parser recurses for each level; a configuration needs 12. */
const MAX_DEPTH = 60;
/** Markers that the lexer inserts between pieces of text. */
const WIDTHLESS: ReadonlySet<string> = new Set(["\u0002", "\u0018", "\u001f"]);

export interface ParsedText {
  /** Null when parsing was refused. */
  readonly document: Document.Parsed<ParsedNode> | null;
  readonly lines: LineCounter;
  /** Start of a second document, or null. */
  readonly secondDocument: number | null;
  /** Why and where parsing was refused. */
  readonly refusal: { readonly message: string; readonly offset: number } | null;
}

class Refusal extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Parses YAML 1.2 (core schema with merge keys), or for `json` the JSON schema's scalars. Never throws. */
export function parseYamlText(text: string, language: "yaml" | "json"): ParsedText {
  const lines = new LineCounter();
  try {
    lines.addNewLine(0);
    const parser = new Parser(lines.addNewLine);
    const composer = new Composer({
      version: "1.2",
      schema: language === "json" ? "json" : "core",
      merge: true,
      prettyErrors: false,
      // `duplicateKeys` reports these instead, because the parser may place one at the end of the previous line.
      uniqueKeys: false,
      lineCounter: lines,
    });
    const documents = composer.compose(boundedTokens(text, parser), true, text.length);
    const document = documents.next().value ?? null;
    const second = documents.next().value ?? null;
    return { document, lines, secondDocument: second?.range[0] ?? null, refusal: null };
  } catch (error) {
    return { document: null, lines, secondDocument: null, refusal: refusalOf(error) };
  }
}

function* boundedTokens(text: string, parser: Parser): Generator<CST.Token, void> {
  let strays = 0;
  for (const { lexeme, offset } of boundedLexemes(text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === "error") strays += 1;
      if (strays > MAX_STRAY) throw new Refusal("This text is not YAML.", offset);
      yield token;
    }
    if (parser.stack.length > MAX_DEPTH) {
      throw new Refusal("Collections are nested too deeply here.", offset);
    }
  }
  yield* parser.end();
}

interface Lexeme {
  readonly lexeme: string;
  /** End offset in the text. */
  readonly offset: number;
}

/** Lexes everything first, so that a text over the limits is refused before any parsing. */
function boundedLexemes(text: string): readonly Lexeme[] {
  if (text.length > MAX_CHARACTERS) {
    throw new Refusal(`The file is too large. The limit is ${MAX_CHARACTERS / 1024} KB.`, 0);
  }
  const lexemes: Lexeme[] = [];
  let aliases = 0;
  let offset = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const start = offset;
    offset = Math.min(offset + (WIDTHLESS.has(lexeme) ? 0 : lexeme.length), text.length);
    if (CST.tokenType(lexeme) === "alias") aliases += 1;
    if (aliases > MAX_ALIASES) {
      throw new Refusal(`More than ${MAX_ALIASES} aliases: write the values out.`, start);
    }
    if (lexemes.length === MAX_LEXEMES) {
      throw new Refusal("The file is too large to be read.", offset);
    }
    lexemes.push({ lexeme, offset });
  }
  return lexemes;
}

function refusalOf(error: unknown): { readonly message: string; readonly offset: number } {
  if (error instanceof Refusal) return { message: error.message, offset: error.offset };
  return { message: "This text cannot be read as YAML.", offset: 0 };
}
