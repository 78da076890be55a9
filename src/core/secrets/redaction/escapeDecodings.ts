/** What escapes stand for: those of JSON, URLs and HTML. */

import type { Alphabet } from "./alphabet.ts";
import type { Decoding, Span } from "./decoded.ts";
import { escapePieces } from "./escapePieces.ts";

const JSON_ESCAPE = /\\(?:u[\da-fA-F]{4}|U[\da-fA-F]{8}|x[\da-fA-F]{2}|["'\\/bfnrt])/g;
const PERCENT_ESCAPE = /%(?:[\da-fA-F]{2}|u[\da-fA-F]{4})/g;
const HTML_ESCAPE = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z]\w{1,9});/g;

interface Escapes {
  readonly pattern: RegExp;
  readonly meaningOf: (written: string) => string;
}

const ESCAPES: readonly Escapes[] = [
  {
    // Python's escapes for characters and bytes are read as well.
    pattern: JSON_ESCAPE,
    meaningOf: (written) =>
      written.length === 2
        ? (CONTROLS[written.charAt(1)] ?? written.charAt(1))
        : character(Number.parseInt(written.slice(2), 16), written),
  },
  {
    pattern: PERCENT_ESCAPE,
    meaningOf: (written) => {
      const digits = written.slice(written.charAt(1) === "u" ? 2 : 1);
      return character(Number.parseInt(digits, 16), written);
    },
  },
  {
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

/** Names that HTML gives to signs of ASCII, each with its sign. */
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

/** Characters that are written as something else, each by itself, among others that stand for themselves. */
export function escapeDecoding(alphabet: Alphabet): Decoding {
  return function* (source) {
    const pieces = escapePieces(source, alphabet);
    if (pieces.length === 0) return;
    const written = pieces
      .map(({ start, end }) => source.slice(start, end))
      .join(alphabet.separator);
    for (const escapes of ESCAPES) {
      // The function is passed more than the escape.
      const text = written.replace(escapes.pattern, (each) => escapes.meaningOf(each));
      if (text === written) continue;
      yield {
        text,
        sourceOf: (spans) => sourceOfPieces(unescapedFrom(written, spans, escapes), pieces),
      };
    }
  };
}

/** Where in a text the `spans` are that were found in its pieces, written one after the other with a character between them. */
function sourceOfPieces(spans: readonly Span[], pieces: readonly Span[]): readonly Span[] {
  let index = 0;
  let before = 0;
  return spans.map(({ start, end }) => {
    for (let piece = pieces[index]; piece !== undefined; piece = pieces[++index]) {
      const length = piece.end - piece.start;
      if (start < before + length) break;
      before += length + 1;
    }
    const shift = (pieces[index]?.start ?? 0) - before;
    return { start: start + shift, end: end + shift };
  });
}

function unescapedFrom(
  source: string,
  spans: readonly Span[],
  { pattern, meaningOf }: Escapes,
): readonly Span[] {
  const places = spans.flatMap(({ start, end }) => [start, end]);
  const found: number[] = [];
  /** How much further on in the source the same place is. */
  let shift = 0;
  for (const { 0: written, index } of source.matchAll(pattern)) {
    const first = index - shift;
    const end = first + meaningOf(written).length;
    for (let place = places[found.length]; place !== undefined && place < end; ) {
      const isEnd = found.length % 2 === 1;
      if (place <= first) found.push(place + shift);
      else found.push(isEnd ? index + written.length : index);
      place = places[found.length];
    }
    shift = index + written.length - end;
  }
  const placeOf = (i: number): number => found[i] ?? (places[i] ?? 0) + shift;
  return spans.map((_, i) => ({ start: placeOf(2 * i), end: placeOf(2 * i + 1) }));
}
