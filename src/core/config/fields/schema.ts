/** The configuration as zod schemas and static types, both made from the field table. */

import * as z from "zod";
import { isJsonObject } from "../../json.ts";
import type { alarmFields } from "./alarmFields.ts";
import { NUMBER_TEXT } from "./coerce.ts";
import {
  columnFields,
  environmentFields,
  graderFields,
  type splitFields,
} from "./environmentFields.ts";
import type { evaluationFields } from "./evaluationFields.ts";
import type {
  Field,
  FieldTable,
  MapShape,
  NumberShape,
  ObjectShape,
  Shape,
  StringShape,
  ValuesOf,
} from "./field.ts";
import { configFields } from "./fields.ts";

/** A whole configuration, every default filled in. Keys are spelled as in the file. */
export type Config = ValuesOf<typeof configFields>;
export type EnvironmentConfig = ValuesOf<typeof environmentFields>;
export type SplitConfig = ValuesOf<typeof splitFields>;
export type ColumnsConfig = ValuesOf<typeof columnFields>;
export type GraderConfig = ValuesOf<typeof graderFields>;
export type AlarmsConfig = ValuesOf<typeof alarmFields>;
export type AlarmId = keyof AlarmsConfig;
export type NotifyConfig = Config["notify"][number];
export type EvaluationConfig = ValuesOf<typeof evaluationFields>;

/** The only splits of a dataset whose configuration and file name none. */
const DEFAULT_SPLIT_FRACTIONS: Readonly<Record<string, number>> = { train: 0.9, test: 0.1 };

/** Which of a field's defaults holds. */
export type DefaultKind = "hosted" | "local";

/**
 * The schemas take plain values of the right types, fill in the defaults, and refuse unknown keys at every level.
 */
const CONFIG_SCHEMAS = {
  hosted: { rl: schemaOfConfig("hosted", "rl"), sft: schemaOfConfig("hosted", "sft") },
  local: { rl: schemaOfConfig("local", "rl"), sft: schemaOfConfig("local", "sft") },
};

/** The schema for a hosted or a local model and for the method that the values name. */
export function configSchemaFor(kind: DefaultKind, values: unknown): z.ZodType<Config> {
  const isSupervised = isJsonObject(values) && values["method"] === "sft";
  return CONFIG_SCHEMAS[kind][isSupervised ? "sft" : "rl"];
}

/** An environment that the configuration does not list (one that is only evaluated), with every default. */
export function defaultEnvironment(kind: DefaultKind): EnvironmentConfig {
  const required = { splits: { test: {} }, num_rollouts: 2 };
  // Sound for the same reason as below: the schema and the type read the same table.
  return schemaOfFields(environmentFields, kind).parse(required) as EnvironmentConfig;
}

// Sound for the same reason, each of the three.
const defaultColumns = schemaOfFields(columnFields, "hosted").parse({}) as ColumnsConfig;
const defaultGrader = schemaOfFields(graderFields, "hosted").parse({}) as GraderConfig;

/** What a `local/dataset` environment reads and how it grades, every default filled in. */
export function datasetSettings({ tasks, columns, grader, split_fractions }: EnvironmentConfig) {
  return {
    tasks: tasks ?? "",
    columns: columns ?? defaultColumns,
    grader: grader ?? defaultGrader,
    splitFractions: split_fractions ?? DEFAULT_SPLIT_FRACTIONS,
  };
}

function schemaOfConfig(kind: DefaultKind, method: Config["method"]): z.ZodType<Config> {
  const fields = Object.entries<Field>(configFields).map(([key, field]) => {
    return [key, field.optionalFor === method ? withoutNeed(field) : field] as const;
  });
  // Sound because `schemaOfShape` and `ValuesOf` read the same table case by case.
  return schemaOfFields(Object.fromEntries(fields), kind) as unknown as z.ZodType<Config>;
}

/** The field of a mapping that may be absent or empty. */
function withoutNeed(field: Field): Field {
  return field.type === "map" ? { ...field, minEntries: 0, default: {} } : field;
}

function schemaOfFields(fields: FieldTable, kind: DefaultKind): z.ZodType {
  const entries = Object.entries(fields).map(
    ([key, field]) => [key, schemaOfField(field, kind)] as const,
  );
  return z.strictObject(Object.fromEntries(entries));
}

function schemaOfField(field: Field, kind: DefaultKind): z.ZodType {
  const schema = schemaOfShape(field, kind);
  const value = kind === "local" ? (field.localDefault ?? field.default) : field.default;
  return value === undefined ? schema : schema.prefault(value);
}

function schemaOfShape(shape: Shape, kind: DefaultKind): z.ZodType {
  const schema = schemaOfValue(shape, kind);
  return shape.nullable === true ? schema.nullable() : schema;
}

function schemaOfValue(shape: Shape, kind: DefaultKind): z.ZodType {
  switch (shape.type) {
    case "string":
      return schemaOfString(shape);
    case "integer":
    case "number":
      return schemaOfNumber(shape);
    case "boolean":
      return z.boolean();
    case "enum":
      return shape.orNumber === true
        ? z.union([z.enum(shape.values), z.string().regex(NUMBER_TEXT)])
        : z.enum(shape.values);
    case "list":
      return z.array(schemaOfShape(shape.of, kind)).min(shape.minItems ?? 0);
    case "map":
      return schemaOfMap(shape, kind);
    case "object":
      return schemaOfObject(shape, kind);
  }
}

function schemaOfString(shape: StringShape): z.ZodType {
  return shape.pattern === undefined ? z.string() : z.string().regex(new RegExp(shape.pattern));
}

function schemaOfNumber(shape: NumberShape): z.ZodType {
  let schema = shape.type === "integer" ? z.int() : z.number();
  if (shape.min !== undefined) schema = schema.gte(shape.min);
  if (shape.max !== undefined) schema = schema.lte(shape.max);
  if (shape.above !== undefined) schema = schema.gt(shape.above);
  if (shape.below !== undefined) schema = schema.lt(shape.below);
  return schema;
}

function schemaOfMap(shape: MapShape, kind: DefaultKind): z.ZodType {
  const schema = z.record(z.string(), schemaOfShape(shape.of, kind));
  const minEntries = shape.minEntries ?? 0;
  return schema.refine((entries) => Object.keys(entries).length >= minEntries);
}

function schemaOfObject(shape: ObjectShape, kind: DefaultKind): z.ZodType {
  // What it holds is checked as a part of its whole.
  if (shape.isPartial === true) return z.record(z.string(), z.unknown());
  const schema = schemaOfFields(shape.fields, kind);
  const key = shape.shorthand;
  if (key === undefined) return schema;
  return z.preprocess((value) => (typeof value === "boolean" ? { [key]: value } : value), schema);
}
