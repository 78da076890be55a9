/** Decodes the escapes of JSON, URLs and HTML. */

import { type Decoding, NO_SPANS, type Span, spansDecoded } from "./spans.ts";

const JSON_ESCAPE = /\\(?:u[\da-fA-F]{4}|U[\da-fA-F]{8}|x[\da-fA-F]{2}|["'\\/bfnrt])/g;
const PERCENT_ESCAPE = /%(?:[\da-fA-F]{2}|u[\da-fA-F]{4})/g;
const HTML_ESCAPE = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z]\w{1,9});/g;

interface Escapes extends Decoding {
  /** The character that every escape starts with. */
  readonly start: string;
}

const ESCAPES: readonly Escapes[] = [
  {
    start: "\\",
    // Also covers Python's escapes for characters and bytes.
    pattern: JSON_ESCAPE,
    meaningOf: (written) =>
      written.length === 2
        ? (CONTROLS[written.charAt(1)] ?? written.charAt(1))
        : character(Number.parseInt(written.slice(2), 16), written),
  },
  {
    start: "%",
    pattern: PERCENT_ESCAPE,
    meaningOf: (written) => {
      const digits = written.slice(written.charAt(1) === "u" ? 2 : 1);
      return character(Number.parseInt(digits, 16), written);
    },
  },
  {
    start: "&",
    pattern: HTML_ESCAPE,
    meaningOf: (written) => {
      const name = written.slice(1, -1);
      if (!name.startsWith("#")) return ENTITIES.get(name) ?? written;
      const isHex = /^#x/i.test(name);
      return character(Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10), written);
    },
  },
];

const CONTROLS: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** HTML names of ASCII characters, each followed by its character. */
const ASCII_ENTITIES =
  `Tab\t NewLine\n excl! quot" num# dollar$ percnt% amp& apos' lpar( rpar) ast* plus+ comma, period. sol/ colon: semi; lt< ` +
  `equals= gt> quest? commat@ lsqb[ lbrack[ bsol\\ rsqb] rbrack] Hat^ lowbar_ grave\` lcub{ lbrace{ verbar| vert| rcub} rbrace}`;
/** Names of the characters from U+00A0 to U+00FF. */
const LATIN_ENTITIES =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute " +
  "micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig " +
  "Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash " +
  "Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute " +
  "ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc " +
  "uuml yacute thorn yuml";
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...ASCII_ENTITIES.split(" ").map((each) => [each.slice(0, -1), each.slice(-1)] as const),
  ...LATIN_ENTITIES.split(" ").map(
    (name, index) => [name, String.fromCharCode(0xa0 + index)] as const,
  ),
]);

function character(code: number, otherwise: string): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : otherwise;
}

/**
 * Searches `source` as decoded by readers of JSON, URLs and HTML, for each that changes it. Non-ASCII characters are as they were or,
 * if decoded from bytes, one character per UTF-8 byte.
 */
export function escapedSpans(
  source: string,
  find: (text: string) => readonly Span[],
): readonly Span[] {
  const findOther = (text: string): readonly Span[] => (text === source ? NO_SPANS : find(text));
  return ESCAPES.flatMap((escapes) =>
    source.includes(escapes.start) ? spansDecoded(source, escapes, findOther) : NO_SPANS,
  );
}
