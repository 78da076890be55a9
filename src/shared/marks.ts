/** What a person marked a run or a rollout with. */

export interface Mark {
  readonly star: boolean;
  readonly pin: boolean;
  /** In the order in which they were given. */
  readonly tags: readonly string[];
  /** Empty = none. */
  readonly note: string;
}

export const NO_MARK: Mark = { star: false, pin: false, tags: [], note: "" };

/** What one change leaves out stays as it is. */
export interface MarkChange {
  readonly star?: boolean;
  readonly pin?: boolean;
  readonly addTag?: string;
  readonly removeTag?: string;
  /** Empty = none. */
  readonly note?: string;
}

export const MAX_TAG_LENGTH = 60;
export const MAX_NOTE_LENGTH = 4_000;

export function isMarked({ star, pin, tags, note }: Mark): boolean {
  return star || pin || tags.length > 0 || note !== "";
}
