/** The alphabet of byte-level vocabularies (as in GPT-2): one printable character per byte. */

/** The 256 characters, in byte order. */
export const BYTE_LEVEL_ALPHABET: readonly string[] = byteLevelAlphabet();

const BYTE_OF_CODE = byteOfCode();
const NO_BYTE = -1;

/** True if all characters are in the alphabet, so that each stands for one byte. Other entries of a vocabulary are plain text. */
export function isByteLevel(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    if ((BYTE_OF_CODE[text.charCodeAt(at)] ?? NO_BYTE) === NO_BYTE) return false;
  }
  return true;
}

/** Writes the bytes represented by a text in the alphabet. */
export function writeBytes(text: string, target: Uint8Array, start: number): void {
  for (let at = 0; at < text.length; at += 1) {
    target[start + at] = BYTE_OF_CODE[text.charCodeAt(at)] ?? 0;
  }
}

function byteLevelAlphabet(): readonly string[] {
  const isPrintable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xff && byte !== 0xad);
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(isPrintable(byte) ? byte : next++),
  );
}

function byteOfCode(): Int16Array {
  const codes = BYTE_LEVEL_ALPHABET.map((character) => character.charCodeAt(0));
  const bytes = new Int16Array(Math.max(...codes) + 1).fill(-1);
  for (const [byte, code] of codes.entries()) bytes[code] = byte;
  return bytes;
}
