/**
 * Trigrams of stored text, and sets of them. A set is a Bloom filter with one hash (B. H. Bloom, 1970): it may have false
 * positives but no false negatives. Filtering by trigrams follows R. Cox, "Regular Expression Matching with a Trigram Index"
 * (2012).
 */

/** Derived from the golden ratio. Spreads similar trigrams over the upper bits (D. Knuth, TAOCP 3, 6.4). */
const MULTIPLIER = 0x9e3779b1;
const MIN_BITS = 6;
const MAX_BITS = 24;

/** Bytes for comparison. ASCII letters are folded to lower case. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

/** Size of a set for `bytes` bytes of text, as a power of two in bits. About half a bit per byte keeps one in six bits set. */
export function setBits(bytes: number): number {
  return Math.max(MIN_BITS, Math.min(MAX_BITS, 30 - Math.clz32(bytes)));
}

/** Size in bytes for a result of {@link setBits}. */
export function setBytes(bits: number): number {
  return 2 ** (bits - 3);
}

/** Adds the trigrams of `text` to `set`, which has 2^`bits` bits. */
export function addTrigrams(set: Uint8Array, bits: number, text: Uint8Array): void {
  const shift = 32 - bits;
  let trigram = 0;
  for (let at = 0; at < text.length; at += 1) {
    trigram = ((trigram << 8) | (FOLDED[text[at] ?? 0] ?? 0)) & 0xffffff;
    if (at < 2) continue;
    const bit = Math.imul(trigram, MULTIPLIER) >>> shift;
    set[bit >>> 3] = (set[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }
}

/** True if the set has all of `hashes`. */
export function hasTrigrams(set: Uint8Array, bits: number, hashes: readonly number[]): boolean {
  const shift = 32 - bits;
  return hashes.every((hash) => {
    const bit = hash >>> shift;
    return ((set[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  });
}

/**
 * Hashes of the trigrams in any line of JSON with a string that contains `literal`, ignoring case; empty if the literal is too
 * short. Non-ASCII letters with two cases are skipped, because their bytes differ.
 */
export function literalHashes(literal: string): readonly number[] {
  const escaped = JSON.stringify(literal).slice(1, -1);
  const hashes = new Set<number>();
  for (const piece of caselessPieces(escaped)) {
    const bytes = new TextEncoder().encode(piece);
    let trigram = 0;
    for (const [at, byte] of bytes.entries()) {
      trigram = ((trigram << 8) | (FOLDED[byte] ?? 0)) & 0xffffff;
      if (at >= 2) hashes.add(Math.imul(trigram, MULTIPLIER));
    }
  }
  return [...hashes];
}

/** Splits at NUL, which never occurs in escaped text. */
function caselessPieces(escaped: string): readonly string[] {
  return escaped
    .replace(/[^\0-\x7f]/gu, (letter) =>
      letter.toLowerCase() === letter.toUpperCase() ? letter : "\0",
    )
    .split("\0");
}
