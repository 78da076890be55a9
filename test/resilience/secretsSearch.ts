/** Finds secrets in bytes in every encoding, and tests itself. */

export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** A finding: which secret, and its encoding. */
export interface Finding {
  readonly secret: string;
  readonly encoding: string;
}

/** Length of the prefix and suffix that reveal a truncated secret. */
const FRAGMENT = 12;
/** Base64 digits before the end of a line. */
const BREAK = 8;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Each encoding of a text, with the strings to search for; base64 depends on the preceding bytes. */
export const ENCODINGS: Readonly<Record<string, (value: string) => readonly string[]>> = {
  raw: (value) => [value],
  beginning: (value) => [value.slice(0, FRAGMENT)],
  end: (value) => [value.slice(-FRAGMENT)],
  JSON: (value) => [inJson(value), inJson(inJson(value)), asciiJson(value)],
  "JSON, escaped slash": (value) => [inJson(value).replaceAll("/", "\\/")],
  "JSON, numbers": (value) => [
    numbersInJson(value, "toUpperCase"),
    numbersInJson(value, "toLowerCase"),
  ],
  HTML: (value) => [
    value.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign),
    value.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`),
    value.replace(/[&<>"']/g, (sign) => `&#x${sign.charCodeAt(0).toString(16)};`),
  ],
  URL: (value) => [inUrl(value), inUrl(value, "/"), lowerPercent(inUrl(value))],
  "URL, all characters": (value) => [strictUrl(value), lowerPercent(strictUrl(value))],
  form: (value) => [inUrl(value).replaceAll("%20", "+")],
  base64: (value) => base64Forms(value),
  base64url: (value) =>
    base64Forms(value).map((form) => form.replaceAll("+", "-").replaceAll("/", "_")),
  // Literally, and in JSON.
  "base64 in lines": (value) =>
    ["\n", "\\n", "\r\n", "\\r\\n"].flatMap((end) =>
      base64Forms(value).map((form) => form.slice(0, BREAK) + end + form.slice(BREAK)),
    ),
  hex: (value) => [hex(value), hex(value).toUpperCase()],
};

export class Search {
  readonly #needles: readonly (Finding & { readonly bytes: Buffer })[];

  constructor(secrets: readonly Secret[]) {
    this.#needles = secrets.flatMap(({ name, value }) =>
      Object.entries(ENCODINGS).flatMap(([encoding, forms]) =>
        [...new Set(forms(value))].map((form) => ({
          secret: name,
          encoding,
          bytes: Buffer.from(form),
        })),
      ),
    );
  }

  /** Every secret in `content`, each encoding once. */
  find(content: Buffer | string): readonly Finding[] {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    const found = new Map<string, Finding>();
    for (const { secret, encoding, bytes: needle } of this.#needles) {
      if (!bytes.includes(needle)) continue;
      found.set(`${secret} ${encoding}`, { secret, encoding });
    }
    return [...found.values()];
  }
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function asciiJson(value: string): string {
  return inJson(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** All characters as numeric escapes. */
function numbersInJson(value: string, inCase: "toUpperCase" | "toLowerCase"): string {
  const digits = (sign: string): string => sign.charCodeAt(0).toString(16).padStart(4, "0");
  return value.replace(/[^a-zA-Z0-9]/g, (sign) => `\\u${digits(sign)[inCase]()}`);
}

function inUrl(value: string, kept = ""): string {
  const encoded = encodeURIComponent(value);
  return kept === "" ? encoded : encoded.replaceAll(encodeURIComponent(kept), kept);
}

function strictUrl(value: string): string {
  return Array.from(Buffer.from(value), (byte) => `%${byte.toString(16).padStart(2, "0")}`)
    .join("")
    .toUpperCase();
}

function lowerPercent(encoded: string): string {
  return encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

function hex(value: string): string {
  return Buffer.from(value).toString("hex");
}

/** Literally and in JSON: alone, and at any offset of a text. */
function base64Forms(value: string): readonly string[] {
  return [value, inJson(value), asciiJson(value)].flatMap((text) => [
    base64(text),
    ...[0, 1, 2].map((shift) => base64Core(text, shift)),
  ]);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64").replaceAll("=", "");
}

/** The base64 digits that only depend on the value when `shift` bytes (modulo 3) come before it. */
function base64Core(value: string, shift: number): string {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(value)]);
  const whole = bytes.toString("base64").replaceAll("=", "");
  const first = Math.ceil((shift * 8) / 6);
  const end = Math.floor((bytes.length * 8) / 6);
  return whole.slice(first, end);
}
