/** How much of an answer is read: a server that sends more is broken or hostile, and memory is finite. */

const MIB = 2 ** 20;

/** In bytes, by service. */
export const REPLY_LIMITS = {
  /** A prompt, a list of tools or a result, as one reply or as a stream of pieces, with images in it. */
  environment: 64 * MIB,
  /** Log-probabilities of all tokens of a request. */
  tinker: 256 * MIB,
  wandb: 16 * MIB,
  /** A page of a list, a few hundred lines. */
  catalogue: 16 * MIB,
  /** The tokenizers with the largest vocabularies have 40 MiB. */
  hubFile: 256 * MIB,
  /** A LoRA adapter of a large model with a high rank has tens of GiB; it goes to disk piece by piece. */
  weights: 2 ** 40,
  other: 64 * MIB,
} as const;

export interface ReplyLimit {
  readonly bytes: number;
  /** Makes the error that a reader of a longer answer gets, from the limit in words, such as "64 MiB". */
  readonly fault: (limit: string) => Error;
}

/** `64 MiB`. */
export function limitText(bytes: number): string {
  return `${bytes / MIB} MiB`;
}
