/** Which rows of a long list are in sight: the only place that knows the virtual list. */

import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";

export interface VirtualRows {
  readonly items: readonly VirtualItem[];
  /** Of all rows, in pixels. */
  readonly height: number;
  scrollTo(index: number): void;
}

/** Rows of equal height in the region of `scroller`, below a head of `headHeight` pixels. */
export function useVirtualRows(
  scroller: RefObject<HTMLDivElement | null>,
  {
    count,
    rowHeight,
    headHeight,
  }: { readonly count: number; readonly rowHeight: number; readonly headHeight: number },
): VirtualRows {
  const [, redraw] = useReducer((version: number) => version + 1, 0);
  const kept = useRef<Virtualizer<HTMLDivElement, HTMLDivElement> | null>(null);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    scrollPaddingStart: headHeight,
    overscan: 12,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(undefined),
  };
  kept.current ??= new Virtualizer<HTMLDivElement, HTMLDivElement>(options);
  const list = kept.current;
  list.setOptions(options);
  useLayoutEffect(() => list._didMount(), [list]);
  useLayoutEffect(() => list._willUpdate());
  return {
    items: list.getVirtualItems(),
    height: list.getTotalSize(),
    scrollTo: (index) => list.scrollToIndex(index, { align: "auto" }),
  };
}
