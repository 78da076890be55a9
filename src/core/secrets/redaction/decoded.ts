/** A text that another one holds in encoded form. */

/** A part of a text: from `start` to before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Decoded {
  /** Characters beyond ASCII stand for themselves or, decoded from bytes, as one character per UTF-8 byte. */
  readonly text: string;
  /** What `spans` of `text`, in order and apart from each other, were made from. */
  readonly sourceOf: (spans: readonly Span[]) => readonly Span[];
}

export type Decoding = (source: string) => Iterable<Decoded>;
