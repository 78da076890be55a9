/**
 * Images in token sequences. An image has as many entries as it has tokens for the model, all with the same negative id: -1 for
 * the first image of the rollout, -2 for the second. Budgets, masks and shifts thus treat it like text.
 */

/** Id of an image of the rollout. `index` is from 0. */
export function imageId(index: number): number {
  return -1 - index;
}

/** Index, from 0, of the rollout's image with this negative id. */
export function imageIndex(id: number): number {
  return -1 - id;
}

/** Display text for an image: `[image 1]` is the first of the rollout. */
export function imageText(id: number): string {
  return `[image ${imageIndex(id) + 1}]`;
}

export function isImageId(id: number): boolean {
  return id < 0;
}

/** Entries `[start, end)` of a sequence: text, or one image. */
export interface Run {
  readonly start: number;
  readonly end: number;
  /** Null = text. */
  readonly image: number | null;
}

/** Splits a sequence into text and images. */
export function imageRuns(ids: ArrayLike<number>): readonly Run[] {
  const runs: Run[] = [];
  for (let start = 0; start < ids.length; ) {
    const first = ids[start] ?? 0;
    let end = start + 1;
    while (end < ids.length && belongsTo(first, ids[end] ?? 0)) end += 1;
    runs.push({ start, end, image: isImageId(first) ? imageIndex(first) : null });
    start = end;
  }
  return runs;
}

function belongsTo(first: number, id: number): boolean {
  return isImageId(first) ? id === first : !isImageId(id);
}
