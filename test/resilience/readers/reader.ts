/** A function that parses external text, and the texts that might slow it down. */

export interface Reader {
  readonly name: string;
  /** Prepares unmeasured setup, and returns the work on this text. The work may throw its error for invalid text. */
  readonly prepare: (text: string) => () => unknown;
  /** Parts to repeat, in addition to {@link ATOMS}. */
  readonly atoms?: readonly string[];
  /** For slow functions: characters of the shortest text; only `atoms` are repeated. */
  readonly slowFrom?: number;
  /** Text before and after the repeated part; {@link FRAMES} if absent. */
  readonly frames?: readonly (readonly [before: string, after: string])[];
}

/** Openers, blanks, quotes, marks and other short texts that parsers treat specially. */
const ATOMS: readonly string[] = [
  ...["#", " ", "\n", "\t", "\r", "\r\n", " \n", "\n ", "a", "é", "a ", "a\n", "0", "1.5,", "-0,"],
  ...['"', "'", "`", "\\", '\\"', '" ', '"a" ', '"\\', "``` ", "$", "${", "%", "&", "&amp;", "%41"],
  ...["[", "{", "(", "<", "]", "}", ")", ">", "[]", "{}", "[a](", '{"a":', "[1,", "<a>", "</a>"],
  ...[
    ",",
    ", ",
    ":",
    ": ",
    "a: ",
    "- ",
    "-",
    "_",
    "=",
    "a=",
    "/",
    "//",
    "/*",
    ".",
    "..",
    "*",
    "**",
  ],
  ...[
    "|",
    "?",
    "!",
    "~",
    "@",
    "+",
    "\u001b[",
    "\u001b]",
    "\u001b[31m",
    "\0",
    "\u200b",
    "zq",
    "#0#",
  ],
];

const FRAMES: readonly (readonly [string, string])[] = [
  ["", ""],
  ["a", "\u0001"],
];

/** Text after each beginning; all others only in the first frame. */
const BLANKS = ["#", " ", "\n", '"', "\\", "a", "<"];

export interface Shape {
  readonly name: string;
  /** A text with about this many characters. */
  readonly text: (characters: number) => string;
}

/** The texts for a reader. */
export function shapesFor({ atoms = [], frames = FRAMES, slowFrom }: Reader): readonly Shape[] {
  return frames.flatMap(([before, after], at) =>
    [...(slowFrom !== undefined ? [] : at === 0 ? ATOMS : BLANKS), ...atoms].map((atom) => ({
      name: [before, `${atom}…`, after].map((part) => JSON.stringify(part)).join(" "),
      text: (characters: number): string =>
        before + atom.repeat(Math.ceil(characters / atom.length)) + after,
    })),
  );
}

/** For functions of the text alone. */
export function reads(read: (text: string) => unknown): Reader["prepare"] {
  return (text) => () => read(text);
}

/** Runs the work; a parser's error on invalid text is fine, except a stack overflow. */
export function answer(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return error;
  }
}
