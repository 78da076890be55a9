/** The ways in which a text may be written elsewhere: in JSON, in URLs, in hexadecimal digits, in base64. */

/** Sources of regular expressions, without groups that capture, for `value` as it may show up in another text. */
export function encodedForms(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  const wellFormed = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const inJson = jsonText(value);
  const literal = [value, wellFormed, inJson, jsonText(inJson), asciiJson(inJson)];
  const encoded = [wellFormed, inJson, asciiJson(inJson)].flatMap(base64Forms);
  return [
    ...new Set([...literal, ...encoded].map(escapePattern)),
    Array.from(wellFormed, urlForm).join(""),
    Array.from(bytes, hexDigits).join(""),
  ];
}

function jsonText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Of JSON text, as writers do that keep to ASCII. */
function asciiJson(text: string): string {
  return text.replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A character as it stands, or as its bytes in a URL; encoders differ in which they leave alone. */
function urlForm(character: string): string {
  const inBytes = Array.from(
    new TextEncoder().encode(character),
    (byte) => `%${hexDigits(byte)}`,
  ).join("");
  const inForm = character === " " ? "|\\+" : "";
  return `(?:${escapePattern(character)}|${inBytes}${inForm})`;
}

/** Two digits, letters in either case. */
function hexDigits(byte: number): string {
  const digits = byte.toString(16).padStart(2, "0");
  return digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/** In both alphabets, wherever the text lies in what was encoded. */
function base64Forms(text: string): readonly string[] {
  const bytes = new TextEncoder().encode(text);
  const forms = [0, 1, 2].map((shift) => base64Core(bytes, shift));
  return [...forms, ...forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))];
}

/** The base64 digits that depend on `bytes` alone when `shift` other bytes (modulo 3) come before them. */
function base64Core(bytes: Uint8Array, shift: number): string {
  const binary =
    "\0".repeat(shift) + Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const firstOwnDigit = Math.ceil((shift * 8) / 6);
  const endOfOwnDigits = Math.floor((binary.length * 8) / 6);
  return btoa(binary).slice(firstOwnDigit, endOfOwnDigits);
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
