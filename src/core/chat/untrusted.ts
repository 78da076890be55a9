/** Keeps text from outside from turning into control tokens while a template handles it. */

import { AppError } from "../errors.ts";
import type { Json, JsonObject } from "../json.ts";
import {
  type ExactJson,
  type ExactJsonObject,
  ExactNumber,
  isExactObject,
} from "../util/exactJson.ts";

/**
 * Marks text before rendering and takes the marks away after the result was cut at added tokens. A mark replaces one
 * character, so lengths and runs stay as they are.
 */
export interface Shield {
  text(outside: string): string;
  /**
   * Marks keys and string values of a schema or of arguments; the JSON Schema words that templates compare stay readable. A number
   * that a double would change becomes a mark as a whole, which {@link restore} frees of its quotes.
   */
  json(outside: ExactJsonObject): JsonObject;
  restore(rendered: string): string;
}

interface ShieldOptions {
  /** Texts of all added tokens. */
  readonly controlTexts: readonly string[];
  /** All text that takes part in this rendering, template included: marks are characters that do not occur in it. */
  readonly surroundings: readonly string[];
}

/** A mark, with its quotes if it stands alone between them: a string that a template prints, or a number. */
const MARKED = /(["'])([\uE000-\uF8FF])\1|[\uE000-\uF8FF]/g;
const FIRST_MARK = 0xe000;
const LAST_MARK = 0xf8ff;

const SCHEMA_WORDS: ReadonlySet<string> = new Set(
  "type properties required items enum description default object string array number integer boolean null".split(
    " ",
  ),
);

/**
 * A control token can come out of outside text in three ways: it stands there, its beginning stands at the end of the
 * text, or its middle or end stands at the start (`<{{ key }}>` with the key `think`). The shield marks the first
 * character of each. @throws AppError `chat-render` when the text uses every private-use character there is.
 */
export function createShield({ controlTexts, surroundings }: ShieldOptions): Shield {
  const finder = createFinder(controlTexts);
  const nextMark = createMarks(surroundings);
  const markOf = new Map<string, string>();
  const originalOf = new Map<string, string>();

  const mark = (character: string): string => {
    const known = markOf.get(character);
    if (known !== undefined) return known;
    const fresh = nextMark();
    markOf.set(character, fresh);
    originalOf.set(fresh, character);
    return fresh;
  };

  const text = (outside: string): string => {
    let marked = "";
    let done = 0;
    for (const at of finder(outside)) {
      marked += outside.slice(done, at) + mark(outside.charAt(at));
      done = at + 1;
    }
    return marked + outside.slice(done);
  };

  const word = (outside: string): string => (SCHEMA_WORDS.has(outside) ? outside : text(outside));

  const json = (value: ExactJson): Json => {
    if (value instanceof ExactNumber) return mark(value.text);
    if (typeof value === "string") return word(value);
    if (isExactObject(value)) return object(value);
    return typeof value === "object" && value !== null ? value.map(json) : value;
  };

  const object = (outside: ExactJsonObject): JsonObject =>
    Object.fromEntries(Object.entries(outside).map(([key, value]) => [word(key), json(value)]));

  return {
    text,
    json: object,
    restore: (rendered) =>
      originalOf.size === 0
        ? rendered
        : rendered.replace(MARKED, (found, quote: string | undefined, quoted: string) => {
            if (quote === undefined) return originalOf.get(found) ?? found;
            const original = originalOf.get(quoted) ?? quoted;
            return original.length > 1 ? original : quote + original + quote;
          }),
  };
}

/** Gives private-use characters that none of the texts contains, one after the other. */
function createMarks(surroundings: readonly string[]): () => string {
  const taken = new Set(surroundings.flatMap((text) => text.match(/[\uE000-\uF8FF]/g) ?? []));
  let next = FIRST_MARK;
  return () => {
    while (taken.has(String.fromCharCode(next))) next += 1;
    if (next > LAST_MARK) {
      throw new AppError(
        "chat-render",
        "The prompt or the tool text uses every private-use character, so control tokens in it cannot be neutralised; remove those characters in the environment",
      );
    }
    next += 1;
    return String.fromCharCode(next - 1);
  };
}

/** Returns the places to mark, ascending. Blanks at both ends are looked through, because templates trim. */
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
    const places: number[] = [];
    if (remainders.some((rest) => head.startsWith(rest) || rest.startsWith(head)))
      places.push(start);
    for (let at = 0; at < end; at += 1) {
      if (at !== places[0] && initials.has(text.charAt(at)) && startsControl(text, at, end))
        places.push(at);
    }
    return places.sort((a, b) => a - b);
  };
}

function properSuffixes(literal: string): readonly string[] {
  return Array.from({ length: literal.length - 1 }, (_, index) => literal.slice(index + 1));
}
