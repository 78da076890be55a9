/** Where a list that opens over the page goes: below what opened it, or above where there is more room, and never outside. */

/** In pixels, from the left and the top of the page. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Place {
  readonly left: number;
  readonly top: number;
  /** What is longer scrolls. */
  readonly maxHeight: number;
}

/** Kept free at the edges of the page. */
const MARGIN = 4;
/** Between the list and what opened it. */
const GAP = 2;

/** `edge` is the one that both have in common where the page is wide enough. */
export function placeLayer(
  anchor: Box,
  size: Pick<Box, "width" | "height">,
  page: Pick<Box, "width" | "height">,
  edge: "left" | "right",
): Place {
  const bottom = anchor.top + anchor.height;
  const below = Math.max(0, page.height - MARGIN - bottom - GAP);
  const above = Math.max(0, anchor.top - GAP - MARGIN);
  const isBelow = size.height <= below || below >= above;
  const maxHeight = isBelow ? below : above;
  const height = Math.min(size.height, maxHeight);
  const wanted = edge === "left" ? anchor.left : anchor.left + anchor.width - size.width;
  return {
    left: Math.max(MARGIN, Math.min(wanted, page.width - MARGIN - size.width)),
    top: isBelow ? bottom + GAP : anchor.top - GAP - height,
    maxHeight,
  };
}
