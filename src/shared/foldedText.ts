/** Text with notation differences removed, so that text in one notation can be found in another. */

export interface FoldedText {
  readonly text: string;
  /** The piece, and the offset in it, from which a character of `text` comes. */
  at(place: number): { readonly piece: number; readonly offset: number } | null;
}

/** White space. */
export const LAYOUT = /\s/g;
/** White space, JSON escapes, and non-ASCII characters, which may decode differently when split over several tokens. */
export const NOTATION = /\\[bfnrt]|[^!-~]|\\/g;

/** Joins `pieces`, drops everything that matches `dropped`, and folds to lowercase. */
export function foldText(pieces: readonly string[], dropped: RegExp): FoldedText {
  const whole = pieces.join("");
  const starts: number[] = [];
  pieces.reduce((start, piece) => {
    starts.push(start);
    return start + piece.length;
  }, 0);
  let text = "";
  const places: number[] = [];
  let place = 0;
  const keep = (end: number): void => {
    for (; place < end; place += 1) {
      text += whole[place]?.toLowerCase()[0] ?? "";
      places.push(place);
    }
  };
  for (const match of whole.matchAll(dropped)) {
    keep(match.index);
    place = match.index + match[0].length;
  }
  keep(whole.length);
  return {
    text,
    at: (index) => {
      const found = places[index];
      if (found === undefined) return null;
      const piece = starts.findLastIndex((start) => start <= found);
      return { piece, offset: found - (starts[piece] ?? 0) };
    },
  };
}
