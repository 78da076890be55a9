/** Places a popup next to its anchor: below it, or above if there is more room, and always within the page. */

/** Pixels from the top left corner of the page. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Place {
  readonly left: number;
  readonly top: number;
  /** Longer content scrolls. */
  readonly maxHeight: number;
}

/** Kept free along the edges of the page. */
const MARGIN = 4;
/** Between the popup and its anchor. */
const GAP = 2;

/** `edge` is the side on which anchor and popup align if the page is wide enough. */
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
