import fc from "fast-check";
import { expect, test } from "vitest";
import { Redactor } from "../../../../src/core/secrets/redaction/redactor.ts";

/** An encoding of text, with some random choices, and its decoding. */
interface Encoder {
  /** `chance` returns numbers from 0 to 255. */
  readonly encode: (text: string, chance: () => number) => string;
  /** How a reader may decode a part of it. */
  readonly decode: (part: string) => readonly string[];
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "+": "&plus;",
  "/": "&sol;",
  "=": "&equals;",
  ä: "&auml;",
};

const json: Encoder = {
  encode: (text, chance) =>
    Array.from(text, (character) => {
      const short = character === "/" ? "\\/" : SHORT_ESCAPES[character];
      if (short !== undefined && (chance() % 2 === 0 || character === '"' || character === "\\"))
        return short;
      if (character >= " " && chance() % 3 !== 0) return character;
      return character.replace(
        /[\s\S]/g,
        (unit) => `\\u${anyCase(unit.charCodeAt(0).toString(16).padStart(4, "0"), chance)}`,
      );
    }).join(""),
  decode: (part) => {
    try {
      return [String(JSON.parse(`"${part}"`))];
    } catch {
      return [];
    }
  },
};

const percent: Encoder = {
  encode: (text, chance) =>
    Array.from(text, (character) => {
      if (/[\w.~-]/.test(character) && chance() % 3 !== 0) return character;
      if (character === " " && chance() % 2 === 0) return "+";
      return anyCase(Buffer.from(character).toString("hex"), chance).replace(/../g, "%$&");
    }).join(""),
  decode: (part) => {
    try {
      return [decodeURIComponent(part.replaceAll("+", " "))];
    } catch {
      return [];
    }
  },
};

const html: Encoder = {
  encode: (text, chance) =>
    Array.from(text, (character) => {
      const entity = ENTITIES[character];
      const code = character.codePointAt(0) ?? 0;
      if (entity === undefined && chance() % 3 !== 0) return character;
      if (entity !== undefined && chance() % 2 === 0) return entity;
      return chance() % 2 === 0 ? `&#${code};` : `&#x${anyCase(code.toString(16), chance)};`;
    }).join(""),
  decode: (part) => {
    const names = new Map(Object.entries(ENTITIES).map(([character, name]) => [name, character]));
    return [
      part.replace(/&(?:#(\d+)|#x([0-9a-f]+)|\w+);/gi, (entity, decimal, hexadecimal) =>
        decimal === undefined && hexadecimal === undefined
          ? (names.get(entity) ?? entity)
          : String.fromCodePoint(Number(decimal ?? `0x${hexadecimal}`)),
      ),
    ];
  },
};

const base64: Encoder = {
  encode: (text, chance) => {
    const encoding = chance() % 2 === 0 ? "base64" : "base64url";
    const digits = Buffer.from(text).toString(encoding);
    const unpadded = chance() % 2 === 0 ? digits : digits.replace(/=+$/, "");
    const [width, end] = [
      [Number.POSITIVE_INFINITY, ""] as const,
      [64, "\n"] as const,
      [76, "\r\n"] as const,
      [76, "\n"] as const,
    ][chance() % 4] ?? [64, "\n"];
    if (!Number.isFinite(width)) return unpadded;
    return unpadded.replace(new RegExp(`.{${width}}(?=.)`, "g"), `$&${end}`);
  },
  decode: (part) => {
    const digits = part.replace(/[^\w+/-]/g, "");
    return [0, 1, 2, 3].map((skipped) => Buffer.from(digits.slice(skipped), "base64").toString());
  },
};

const hex: Encoder = {
  encode: (text, chance) => {
    const digits = Buffer.from(text).toString("hex");
    return chance() % 2 === 0 ? digits : digits.toUpperCase();
  },
  decode: (part) =>
    [0, 1].map((skipped) =>
      Buffer.from(part.replace(/[^\da-f]/gi, "").slice(skipped), "hex").toString(),
    ),
};

const ESCAPES = [json, percent, html];

function anyCase(digits: string, chance: () => number): string {
  return chance() % 2 === 0 ? digits.toLowerCase() : digits.toUpperCase();
}

function chances(bytes: Uint8Array): () => number {
  let at = 0;
  return () => bytes[at++ % bytes.length] ?? 0;
}

const encoder = fc.constantFrom(...ESCAPES, base64, hex);
const escapes = fc.constantFrom(...ESCAPES);
const secret = fc
  .oneof(
    fc.string({ minLength: 6, maxLength: 40 }),
    fc.string({ minLength: 6, maxLength: 40, unit: "grapheme" }),
    fc.stringMatching(/^[\w+/=&% "ä\\-]{6,40}$/),
  )
  .filter((value) => !/\p{Cs}/u.test(value) && !value.includes("*") && value.length >= 6);
const around = fc.string({ maxLength: 90, unit: "grapheme" });

test("nothing decodable remains of a secret, for any encoder and surrounding escapes", () => {
  fc.assert(
    fc.property(
      fc.tuple(secret, around, around),
      fc.tuple(encoder, fc.array(escapes, { maxLength: 1 })),
      fc.uint8Array({ minLength: 61, maxLength: 61 }),
      ([value, before, after], [inner, outer], bytes) => {
        const encoders = [inner, ...outer];
        const redactor = new Redactor();
        redactor.learn(value);
        const chance = chances(bytes);
        const written = encoders.reduce(
          (text, { encode }) => encode(text, chance),
          `${before}${value}${after}`,
        );
        const cleaned = redactor.redact(`see ${written} there`).slice(4, -6);
        expect(cleaned).toContain("***");
        const readings = encoders.reduceRight<readonly string[]>(
          (texts, { decode }) => texts.flatMap((text) => text.split("***")).flatMap(decode),
          [cleaned],
        );
        for (const reading of readings) expect(reading).not.toContain(value);
      },
    ),
    { numRuns: 3000 },
  );
});

const KEY = "tml-a/b+c&d=ä\n🙂";
const IN_64_COLUMNS = Buffer.from(`${"x".repeat(40)}${KEY}${"y".repeat(40)}`)
  .toString("base64")
  .replace(/.{64}/g, "$&\n");

test.each([
  ["a slash that JSON escapes", "tml-a\\/b+c&d=ä\\n🙂"],
  ["signs as JSON numbers", "tml-a/b\\u002Bc\\u0026d\\u003dä\\n🙂"],
  ["letters as JSON numbers in capitals", "tml-a/b+c&d=\\u00E4\\u000A\\uD83D\\uDE42"],
  ["bytes as Python shows them", "tml-a/b+c&d=\\xc3\\xa4\\n\\xf0\\x9f\\x99\\x82"],
  ["entities", "tml-a&sol;b&#43;c&amp;d&#x3D;&auml;&NewLine;&#128578;"],
  ["base64 in 64 columns", IN_64_COLUMNS],
  ["base64 in 64 columns in JSON in JSON", inJson(inJson(IN_64_COLUMNS))],
  ["URL-safe base64 of JSON with an escaped slash", base64url(inJson(KEY).replace("/", "\\/"))],
])("a secret is found as %s", (_, written) => {
  const redactor = new Redactor();
  redactor.learn(KEY);
  const cleaned = redactor.redact(`<${written}>`);
  expect(cleaned).toContain("***");
  expect(cleaned).toMatch(/^<.*>$/s);
  for (const part of ["tml-", "tml-a", "🙂", "D83D"]) expect(cleaned).not.toContain(part);
});

test("the text around an encoded secret does not change", () => {
  const redactor = new Redactor();
  redactor.learn("tml-0123456789");
  const around = 'a "quoted" C:\\new\\u0041 %41 &amp; YWJj 0a0b0c ';
  expect(redactor.redact(around)).toBe(around);
  expect(redactor.redact(`${around}tml%2D0123456789${around}`)).toBe(`${around}***${around}`);
});

test("a text full of secrets is cleaned", () => {
  const redactor = new Redactor();
  redactor.learn("pass/word");
  const written = "\\u0070ass/word pass/word ".repeat(100_000);
  expect(redactor.redact(written)).toBe("*** *** ".repeat(100_000));
});

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}
