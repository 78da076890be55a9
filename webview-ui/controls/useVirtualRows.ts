/** Which rows of a long list are in sight, so that only they are drawn. */

import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** Rows drawn above and below those in sight, so that scrolling shows no gap. */
const MORE_ROWS = 12;
/** As few of them may be left before others are drawn. */
const LEAST_MORE_ROWS = 4;

interface GridSize {
  readonly count: number;
  readonly rowHeight: number;
  /** Of the head above the rows. */
  readonly headHeight: number;
}

/**
 * Rows of equal height in the region of `scroller`, and the row that the keys of the grid act on, which stays in sight. The component
 * that calls it must always draw the region: it is watched from the first drawing on, and another one in its place would not be.
 */
export function useGridCursor(
  scroller: RefObject<HTMLDivElement | null>,
  { count, rowHeight, headHeight }: GridSize,
  firstRow = 0,
) {
  const [row, setCursor] = useState(firstRow);
  // No more than the window is in sight: the first drawing has all rows, and waits for no measurement.
  const [drawn, setDrawn] = useState(() => ({
    first: 0,
    end: Math.ceil(innerHeight / rowHeight) + LEAST_MORE_ROWS,
  }));
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const look = (): void => {
      const top = Math.floor(element.scrollTop / rowHeight);
      const bottom = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight);
      setDrawn((own) =>
        own.first <= Math.max(0, top - LEAST_MORE_ROWS) && bottom + LEAST_MORE_ROWS <= own.end
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
    /** Those to draw; `start` is in pixels from the top of the first row of all. */
    rows: Array.from({ length: shown }, (_, position) => {
      const index = drawn.first + position;
      return { index, start: index * rowHeight };
    }),
    /** Of all rows, in pixels. */
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
    /** Rows that a page key moves by. */
    page: (): number => {
      const seen = (scroller.current?.clientHeight ?? 0) - headHeight;
      return Math.max(1, Math.floor(seen / rowHeight) - 1);
    },
  };
}
