/**
 * Images in token sequences. An image is in a sequence with as many entries as it has tokens for the model, all of them the
 * same negative id: -1 for the first image of the rollout, -2 for the second. So budgets, masks and shifts count it like text.
 */

/** The id of a rollout's image; `index` counts from 0. */
export function imageId(index: number): number {
  return -1 - index;
}

/** Which image of the rollout an id below 0 stands for, from 0. */
export function imageIndex(id: number): number {
  return -1 - id;
}

/** How people read an image in a text: `[image 1]` is the first of the rollout. */
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

/** Cuts a sequence where text and images meet. */
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
