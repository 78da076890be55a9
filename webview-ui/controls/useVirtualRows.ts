/** Finds the visible rows of a long list, so that only they are rendered. */

import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** Rows rendered above and below the visible ones, so that scrolling shows no gap. */
const MORE_ROWS = 12;
/** More are rendered once fewer than this many are left. */
const MIN_MORE_ROWS = 4;

interface GridSize {
  readonly count: number;
  readonly rowHeight: number;
  /** Height of the head above the rows. */
  readonly headHeight: number;
}

/**
 * Virtual rows of equal height within `scroller`, and the row that the grid's keys act on, which stays in view. The calling component
 * must always render the scroller: only the element of the first render is observed.
 */
export function useGridCursor(
  scroller: RefObject<HTMLDivElement | null>,
  { count, rowHeight, headHeight }: GridSize,
  firstRow = 0,
) {
  const [row, setCursor] = useState(firstRow);
  // The window's height bounds the visible rows, so the first render is complete without measuring.
  const [drawn, setDrawn] = useState(() => ({
    first: 0,
    end: Math.ceil(innerHeight / rowHeight) + MIN_MORE_ROWS,
  }));
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const look = (): void => {
      const top = Math.floor(element.scrollTop / rowHeight);
      const bottom = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight);
      setDrawn((own) =>
        own.first <= Math.max(0, top - MIN_MORE_ROWS) && bottom + MIN_MORE_ROWS <= own.end
          ? own
          : { first: Math.max(0, top - MORE_ROWS), end: bottom + MORE_ROWS },
      );
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [scroller, rowHeight]);
  const shown = Math.max(0, Math.min(count, drawn.end) - drawn.first);
  return {
    /** Rows to render; `start` is in pixels from the top of the first row. */
    rows: Array.from({ length: shown }, (_, position) => {
      const index = drawn.first + position;
      return { index, start: index * rowHeight };
    }),
    /** Height of all rows in pixels. */
    height: count * rowHeight,
    cursor: Math.min(row, Math.max(0, count - 1)),
    setCursor,
    move: (to: number): void => {
      const next = Math.max(0, Math.min(count - 1, to));
      setCursor(next);
      const element = scroller.current;
      if (element === null) return;
      const top = next * rowHeight;
      const lowest = top + rowHeight + headHeight - element.clientHeight;
      if (element.scrollTop > top) element.scrollTop = top;
      else if (element.scrollTop < lowest) element.scrollTop = lowest;
    },
    /** Rows that Page Up and Page Down move by. */
    page: (): number => {
      const seen = (scroller.current?.clientHeight ?? 0) - headHeight;
      return Math.max(1, Math.floor(seen / rowHeight) - 1);
    },
  };
}
