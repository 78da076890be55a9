/** Limits for the size of answers, because memory is finite and a server may be broken or malicious. */

const MIB = 2 ** 20;

/** In bytes, by service. */
export const REPLY_LIMITS = {
  /** A prompt, a list of tools or a result, as one reply or as a stream, including images. */
  environment: 64 * MIB,
  /** Log-probabilities of all tokens of a request. */
  tinker: 256 * MIB,
  wandb: 16 * MIB,
  /** A page of a list, with a few hundred lines. */
  catalogue: 16 * MIB,
  /** Tokenizers with the largest vocabularies have 40 MiB. */
  hubFile: 256 * MIB,
  /** A LoRA adapter of a large model with a high rank has tens of GiB. It is streamed to disk. */
  weights: 2 ** 40,
  other: 64 * MIB,
} as const;

export interface ReplyLimit {
  readonly bytes: number;
  /** Creates the error for longer answers. `limit` is text, such as "64 MiB". */
  readonly fault: (limit: string) => Error;
}

/** `64 MiB`. */
export function limitText(bytes: number): string {
  return `${bytes / MIB} MiB`;
}
