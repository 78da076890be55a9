/** Keys for moving through the rows of a grid. */

export interface GridSize {
  readonly count: number;
  /** Rows that Page Up and Page Down move by. */
  readonly page: number;
  readonly hasSingleKeys: boolean;
}

/** The row that a key moves to from row `at`, which may be outside of the grid; null for other keys. */
export function rowAfter(
  key: string,
  at: number,
  { count, page, hasSingleKeys }: GridSize,
): number | null {
  switch (key) {
    case "ArrowDown":
      return at + 1;
    case "ArrowUp":
      return at - 1;
    case "j":
      return hasSingleKeys ? at + 1 : null;
    case "k":
      return hasSingleKeys ? at - 1 : null;
    case "PageDown":
      return at + page;
    case "PageUp":
      return at - page;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}
