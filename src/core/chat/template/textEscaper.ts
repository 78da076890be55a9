/** Escapes untrusted text so that it cannot become control tokens when a template renders it. */

import { AppError } from "../../errors.ts";
import type { Json, JsonObject } from "../../json.ts";
import {
  type ExactJson,
  type ExactJsonObject,
  ExactNumber,
  isExactObject,
} from "../../util/exactJson.ts";
import { unusedCharacters } from "../../util/unusedMark.ts";

/**
 * Puts placeholders into text before rendering and removes them after the result is split at added tokens. A placeholder replaces
 * a single character, so lengths do not change.
 */
export interface TextEscaper {
  escapeText(untrusted: string): string;
  /**
   * Escapes keys and string values of a schema or of arguments; JSON Schema keywords that templates compare stay readable. A
   * number that a double cannot represent becomes one placeholder, whose quotes {@link unescape} removes.
   */
  escapeJson(untrusted: ExactJsonObject): JsonObject;
  unescape(rendered: string): string;
}

interface TextEscaperOptions {
  /** Texts of all added tokens. */
  readonly controlTexts: readonly string[];
  /** All text involved in this rendering, including the template; placeholders are characters that do not occur in it. */
  readonly surroundings: readonly string[];
}

/** A placeholder, including its quotes if it is the whole string: a one-character string that a template prints, or a number. */
const PLACEHOLDER = /(["'])([\uE000-\uF8FF])\1|[\uE000-\uF8FF]/g;

const SCHEMA_WORDS: ReadonlySet<string> = new Set(
  "type properties required items enum description default object string array number integer boolean null".split(
    " ",
  ),
);

/**
 * Untrusted text can produce a control token in three ways: it contains the whole token, ends with its start, or begins with its
 * middle or end (`<{{ key }}>` with the key `think`). The escaper replaces the first character of each. @throws AppError
 * `chat-render` if the text uses every private-use character
 */
export function createTextEscaper({ controlTexts, surroundings }: TextEscaperOptions): TextEscaper {
  const finder = createFinder(controlTexts);
  const nextPlaceholder = createPlaceholders(surroundings);
  const placeholderOf = new Map<string, string>();
  const originalOf = new Map<string, string>();

  const replace = (character: string): string => {
    const known = placeholderOf.get(character);
    if (known !== undefined) return known;
    const placeholder = nextPlaceholder();
    placeholderOf.set(character, placeholder);
    originalOf.set(placeholder, character);
    return placeholder;
  };

  const escapeText = (untrusted: string): string => {
    let escaped = "";
    let done = 0;
    for (const at of finder(untrusted)) {
      escaped += untrusted.slice(done, at) + replace(untrusted.charAt(at));
      done = at + 1;
    }
    return escaped + untrusted.slice(done);
  };

  const word = (untrusted: string): string =>
    SCHEMA_WORDS.has(untrusted) ? untrusted : escapeText(untrusted);

  const json = (value: ExactJson): Json => {
    if (value instanceof ExactNumber) return replace(value.text);
    if (typeof value === "string") return word(value);
    if (isExactObject(value)) return object(value);
    return typeof value === "object" && value !== null ? value.map(json) : value;
  };

  const object = (untrusted: ExactJsonObject): JsonObject =>
    Object.fromEntries(Object.entries(untrusted).map(([key, value]) => [word(key), json(value)]));

  return {
    escapeText,
    escapeJson: object,
    unescape: (rendered) =>
      originalOf.size === 0
        ? rendered
        : rendered.replace(PLACEHOLDER, (found, quote: string | undefined, quoted: string) => {
            if (quote === undefined) return originalOf.get(found) ?? found;
            const original = originalOf.get(quoted) ?? quoted;
            return original.length > 1 ? original : quote + original + quote;
          }),
  };
}

/** Yields characters that occur in none of the texts. @throws AppError `chat-render` if none is left */
function createPlaceholders(surroundings: readonly string[]): () => string {
  const unused = unusedCharacters(surroundings);
  return () => {
    const { value } = unused.next();
    if (value !== undefined) return value;
    throw new AppError(
      "chat-render",
      "The prompt or the tool text uses every private-use character, so control tokens in it cannot be neutralized; remove those characters in the environment",
    );
  };
}

/** Returns the ascending offsets of the characters to replace. Skips whitespace at both ends, because templates trim. */
function createFinder(controlTexts: readonly string[]): (text: string) => readonly number[] {
  const literals = controlTexts.filter((literal) => literal !== "");
  const initials = new Set(literals.map((literal) => literal.charAt(0)));
  const longest = Math.max(0, ...literals.map((literal) => literal.length));
  const remainders = [...new Set(literals.flatMap(properSuffixes))];

  const startsControl = (text: string, at: number, end: number): boolean => {
    const tail = end - at < longest ? text.slice(at, end) : null;
    return literals.some(
      (literal) => text.startsWith(literal, at) || (tail !== null && literal.startsWith(tail)),
    );
  };

  return (text) => {
    const start = text.length - text.trimStart().length;
    const end = text.trimEnd().length;
    if (start >= end) return [];
    const head = text.slice(start, Math.min(end, start + longest));
    const offsets: number[] = [];
    if (remainders.some((rest) => head.startsWith(rest) || rest.startsWith(head)))
      offsets.push(start);
    for (let at = 0; at < end; at += 1) {
      if (at !== offsets[0] && initials.has(text.charAt(at)) && startsControl(text, at, end))
        offsets.push(at);
    }
    return offsets.sort((a, b) => a - b);
  };
}

function properSuffixes(literal: string): readonly string[] {
  return Array.from({ length: literal.length - 1 }, (_, index) => literal.slice(index + 1));
}
