/** Places in a text: offsets for editors, lines and columns for terminals. */

/** Offsets in UTF-16 units; `end` is the first one after it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Lines and columns count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export function contains({ start, end }: Span, offset: number): boolean {
  return start <= offset && offset <= end;
}
