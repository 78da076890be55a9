/** Locations in a text: offsets for editors, lines and columns for terminals. */

/** Offsets in UTF-16 code units; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Lines and columns start at 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export function contains({ start, end }: Span, offset: number): boolean {
  return start <= offset && offset <= end;
}
