/** The ordinary tokens of a byte-level model, in the byte-level alphabet. */

/** No vocabulary is this large: a larger id means a damaged file, and a table up to it would not fit into memory. */
export const MAX_ID = 2 ** 24;

/** Ids of ordinary tokens. Added tokens in the vocabulary are excluded, because ordinary text must not encode to them. */
export interface Vocabulary {
  /** By id; sparse. */
  readonly textOf: readonly (string | undefined)[];
  idOf(text: string): number | null;
}
