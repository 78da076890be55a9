/** The ordinary tokens of a byte-level model, in the byte-level alphabet. */

/** No vocabulary has as many: a larger id is a damaged file, and a table up to it would not fit into memory. */
export const MAX_ID = 2 ** 24;

/** Ids of ordinary tokens. As far as ordinary text is concerned, added tokens in the vocabulary do not exist. */
export interface Vocabulary {
  /** By id, with holes. */
  readonly textOf: readonly (string | undefined)[];
  idOf(text: string): number | null;
}
