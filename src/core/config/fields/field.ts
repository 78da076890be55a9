/** What a configuration field is: its shape, its documentation, and the static type that follows from both. */

import type { Json, JsonObject } from "../../json.ts";

/**
 * When a value may differ from the one the run started with: `tunable` at any step border, `fixed` only when a run is
 * resumed, `identity` never, because the run would no longer be the same run.
 */
export type Change = "tunable" | "fixed" | "identity";

interface Nullable {
  readonly nullable?: true;
}

export interface StringShape extends Nullable {
  readonly type: "string";
  /** Source of a regular expression for the whole text, and the words that explain it. */
  readonly pattern?: string;
  readonly patternMeaning?: string;
  /** Its value is never written down or shown. */
  readonly isSecret?: true;
}

export interface NumberShape extends Nullable {
  readonly type: "integer" | "number";
  /** Inclusive bounds. */
  readonly min?: number;
  readonly max?: number;
  /** Exclusive bounds. */
  readonly above?: number;
  readonly below?: number;
  readonly unit?: string;
}

export interface BooleanShape extends Nullable {
  readonly type: "boolean";
}

export interface EnumShape extends Nullable {
  readonly type: "enum";
  readonly values: readonly string[];
  /** True when a number is taken, too; it is kept as its text. */
  readonly orNumber?: true;
}

export interface ListShape extends Nullable {
  readonly type: "list";
  readonly of: Shape;
  readonly minItems?: number;
}

export interface MapShape extends Nullable {
  readonly type: "map";
  /** What a key stands for, for messages and tables. */
  readonly keyName: string;
  readonly of: Shape;
  readonly minEntries?: number;
}

export interface ObjectShape extends Nullable {
  readonly type: "object";
  readonly fields: FieldTable;
  /** Field that a plain boolean instead of the object sets. */
  readonly shorthand?: string;
  /** True where it holds some settings of a larger whole: nothing is required, and nothing is filled in. */
  readonly isPartial?: true;
}

export type Shape =
  | StringShape
  | NumberShape
  | BooleanShape
  | EnumShape
  | ListShape
  | MapShape
  | ObjectShape;

/** A shape with its documentation. A field without a `default` is required. */
export type Field = Shape & {
  /** One or two sentences, as Markdown. */
  readonly doc: string;
  readonly change: Change;
  readonly default?: Json;
  /** Takes the place of `default` when the model is a `local/` one. */
  readonly localDefault?: Json;
  /** The `method` that does without this key, which others require. */
  readonly optionalFor?: "sft";
  /** Sensible values, the first one to begin with; shown and offered, never taken without being written. */
  readonly examples?: readonly Json[];
  /** The key to use instead of this one, which is read for the sake of older files. */
  readonly replacedBy?: string;
  /** True for a key that many files have. */
  readonly isCommon?: true;
  /** True for a key that few files need. */
  readonly isAdvanced?: true;
};

export interface FieldTable {
  readonly [key: string]: Field;
}

type NonNullValueOf<S> = S extends { type: "string" }
  ? string
  : S extends { type: "integer" | "number" }
    ? number
    : S extends { type: "boolean" }
      ? boolean
      : S extends { type: "enum"; orNumber: true }
        ? string
        : S extends { type: "enum"; values: readonly (infer V)[] }
          ? V
          : S extends { type: "list"; of: infer Item }
            ? readonly ValueOf<Item>[]
            : S extends { type: "map"; of: infer Item }
              ? Readonly<Record<string, ValueOf<Item>>>
              : S extends { type: "object"; isPartial: true }
                ? JsonObject
                : S extends { type: "object"; fields: infer Fields }
                  ? ValuesOf<Fields>
                  : never;

type ValueOf<S> = NonNullValueOf<S> | (S extends { nullable: true } ? null : never);

/** The static type of an object whose fields are the table `Fields`, all defaults filled in. */
export type ValuesOf<Fields> = { readonly [Key in keyof Fields]: ValueOf<Fields[Key]> };

/** A field that may be left out, and is null then. */
export const OPTIONAL = { nullable: true, default: null } as const;

/** A whole number from 1 on. */
export const COUNT = { type: "integer", min: 1 } as const;
