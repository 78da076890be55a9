/** Defines a configuration field: its shape, its documentation, and the static type derived from both. */

import type { Json, JsonObject } from "../../json.ts";

/**
 * When a value may differ from the one the run started with: `tunable` between any two steps, `fixed` only at a resume, `identity` never,
 * because it would no longer be the same run.
 */
export type Change = "tunable" | "fixed" | "identity";

interface Nullable {
  readonly nullable?: true;
}

export interface StringShape extends Nullable {
  readonly type: "string";
  /** A regular expression that must match the whole text, and a description of it for messages. */
  readonly pattern?: string;
  readonly patternMeaning?: string;
  /** The value is never stored or shown. */
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
  /** True when a number is also accepted; it is kept as text. */
  readonly orNumber?: true;
}

export interface ListShape extends Nullable {
  readonly type: "list";
  readonly of: Shape;
  readonly minItems?: number;
}

export interface MapShape extends Nullable {
  readonly type: "map";
  /** What a key names, for messages and tables. */
  readonly keyName: string;
  readonly of: Shape;
  readonly minEntries?: number;
}

export interface ObjectShape extends Nullable {
  readonly type: "object";
  readonly fields: FieldTable;
  /** The field that is set when a plain boolean is written instead of the object. */
  readonly shorthand?: string;
  /** True when it holds a subset of a larger object's settings: nothing is required and no defaults are filled in. */
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
  /** Replaces `default` for a `local/` model. */
  readonly localDefault?: Json;
  /** The `method` that does not need this key; it is required for the others. */
  readonly optionalFor?: "sft";
  /** Sensible values, best first. They are shown and offered but never used as defaults. */
  readonly examples?: readonly Json[];
  /** The key to use instead of this one, which is still read for older files. */
  readonly replacedBy?: string;
  /** True for a key that most files have. */
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

/** The static type of an object with the field table `Fields`, all defaults filled in. */
export type ValuesOf<Fields> = { readonly [Key in keyof Fields]: ValueOf<Fields[Key]> };

/** A field that may be omitted and is then null. */
export const OPTIONAL = { nullable: true, default: null } as const;

/** An integer of at least 1. */
export const COUNT = { type: "integer", min: 1 } as const;
