/** Which rows of a long list are in sight, so that only they are drawn. */

import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** Rows drawn above and below those in sight, so that scrolling shows no gap. */
const MORE_ROWS = 12;
/** As few of them may be left before others are drawn. */
const LEAST_MORE_ROWS = 4;

interface VirtualRows {
  readonly items: readonly {
    readonly index: number;
    /** In pixels from the top of the first row. */
    readonly start: number;
  }[];
  readonly height: number;
  scrollTo(index: number): void;
}

/**
 * Rows of equal height in the region of `scroller`, below a head of `headHeight` pixels. The component that calls it must always
 * draw the region: it is watched from the first drawing on, and another one in its place would not be.
 */
function useVirtualRows(
  scroller: RefObject<HTMLDivElement | null>,
  {
    count,
    rowHeight,
    headHeight,
  }: { readonly count: number; readonly rowHeight: number; readonly headHeight: number },
): VirtualRows {
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
  return {
    items: Array.from(
      { length: Math.max(0, Math.min(count, drawn.end) - drawn.first) },
      (_, position) => {
        const index = drawn.first + position;
        return { index, start: index * rowHeight };
      },
    ),
    height: count * rowHeight,
    scrollTo: (index) => {
      const element = scroller.current;
      if (element === null) return;
      const top = index * rowHeight;
      const lowest = top + rowHeight + headHeight - element.clientHeight;
      if (element.scrollTop > top) element.scrollTop = top;
      else if (element.scrollTop < lowest) element.scrollTop = lowest;
    },
  };
}

/** The row that the keys of a grid act on, which stays in sight. */
export function useGridCursor(
  scroller: RefObject<HTMLDivElement | null>,
  size: { readonly count: number; readonly rowHeight: number; readonly headHeight: number },
  first = 0,
) {
  const [row, setCursor] = useState(first);
  const virtual = useVirtualRows(scroller, size);
  return {
    virtual,
    cursor: Math.min(row, Math.max(0, size.count - 1)),
    setCursor,
    move: (to: number): void => {
      const next = Math.max(0, Math.min(size.count - 1, to));
      setCursor(next);
      virtual.scrollTo(next);
    },
    /** Rows that a page key moves by. */
    page: (): number => {
      const height = (scroller.current?.clientHeight ?? 0) - size.headHeight;
      return Math.max(1, Math.floor(height / size.rowHeight) - 1);
    },
  };
}
