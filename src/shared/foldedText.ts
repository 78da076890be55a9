/** Texts without what differs between two ways of showing them, so that one is found in the other. */

export interface FoldedText {
  readonly text: string;
  /** The piece, and the place in it, that a character of `text` comes from. */
  at(place: number): { readonly piece: number; readonly offset: number } | null;
}

/** White space. */
export const LAYOUT = /\s/g;
/** White space, JSON's escapes, and what one of several tokens of a character may show in another way. */
export const NOTATION = /\\[bfnrt]|[^!-~]|\\/g;

/** `pieces` one after the other without what `dropped` matches; upper and lower case are alike. */
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
