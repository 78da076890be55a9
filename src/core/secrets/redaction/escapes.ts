/** Decodes the escapes of JSON, URLs and HTML. */

/** A part of a text: from `start` up to but excluding `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text with all escapes of one kind decoded. */
export interface Unescaped {
  /** Non-ASCII characters are as they were or, if decoded from bytes, one character per UTF-8 byte. */
  readonly text: string;
  /** Maps ordered, disjoint spans of `text` back to the source. */
  readonly sourceOf: (spans: readonly Span[]) => readonly Span[];
}

const JSON_ESCAPE = /\\(?:u[\da-fA-F]{4}|U[\da-fA-F]{8}|x[\da-fA-F]{2}|["'\\/bfnrt])/g;
const PERCENT_ESCAPE = /%(?:[\da-fA-F]{2}|u[\da-fA-F]{4})/g;
const HTML_ESCAPE = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z]\w{1,9});/g;

interface Escapes {
  /** The character that every escape starts with. */
  readonly start: string;
  readonly pattern: RegExp;
  readonly meaningOf: (written: string) => string;
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

/** `source` as decoded by readers of JSON, URLs and HTML, for each that changes it. */
export function* unescaped(source: string): Generator<Unescaped> {
  for (const escapes of ESCAPES) {
    if (!source.includes(escapes.start)) continue;
    // A wrapper, because `replace` passes additional arguments.
    const text = source.replace(escapes.pattern, (each) => escapes.meaningOf(each));
    if (text === source) continue;
    yield { text, sourceOf: (spans) => sourceOf(source, spans, escapes) };
  }
}

function sourceOf(
  source: string,
  spans: readonly Span[],
  { pattern, meaningOf }: Escapes,
): readonly Span[] {
  const offsets = spans.flatMap(({ start, end }) => [start, end]);
  const found: number[] = [];
  /** How much further the current position is in the source. */
  let shift = 0;
  for (const { 0: written, index } of source.matchAll(pattern)) {
    const first = index - shift;
    const end = first + meaningOf(written).length;
    for (let offset = offsets[found.length]; offset !== undefined && offset < end; ) {
      const isEnd = found.length % 2 === 1;
      if (offset <= first) found.push(offset + shift);
      else found.push(isEnd ? index + written.length : index);
      offset = offsets[found.length];
    }
    shift = index + written.length - end;
  }
  const mapped = (i: number): number => found[i] ?? (offsets[i] ?? 0) + shift;
  return spans.map((_, i) => ({ start: mapped(2 * i), end: mapped(2 * i + 1) }));
}
