/** A function that reads text from outside, and the texts that might slow it down. */

export interface Reader {
  readonly name: string;
  /** Prepares what is not measured, and returns the work on this text. It may throw what it throws on bad text. */
  readonly prepare: (text: string) => () => unknown;
  /** What is repeated, beside {@link ATOMS}. */
  readonly atoms?: readonly string[];
  /** For those that take long by themselves: characters of the shortest text; only `atoms` are repeated. */
  readonly slowFrom?: number;
  /** What stands before and behind the repeated part; {@link FRAMES} if absent. */
  readonly frames?: readonly (readonly [before: string, after: string])[];
}

/** Openers, blanks, quotes, marks and other short texts that readers treat in a way of their own. */
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

/** What stands behind each beginning; all else only in the first frame. */
const BLANKS = ["#", " ", "\n", '"', "\\", "a", "<"];

export interface Shape {
  readonly name: string;
  /** The text of about so many characters. */
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

/** Runs the work; what a reader throws on bad text is an answer, too, but for a stack that is used up. */
export function answer(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return error;
  }
}
