/** A user's marks on a run or a rollout. */

export interface Mark {
  readonly star: boolean;
  readonly pin: boolean;
  /** In the order in which they were added. */
  readonly tags: readonly string[];
  /** Empty = none. */
  readonly note: string;
}

export const NO_MARK: Mark = { star: false, pin: false, tags: [], note: "" };

/** A change to a mark; absent fields stay as they are. */
export interface MarkChange {
  readonly star?: boolean;
  readonly pin?: boolean;
  readonly addTag?: string;
  readonly removeTag?: string;
  /** Empty = removes the note. */
  readonly note?: string;
}

export const MAX_TAG_LENGTH = 60;
export const MAX_NOTE_LENGTH = 4_000;

export function isMarked({ star, pin, tags, note }: Mark): boolean {
  return star || pin || tags.length > 0 || note !== "";
}
