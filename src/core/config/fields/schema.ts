/** The configuration as zod schemas and static types, both derived from the field table. */

import * as z from "zod";
import { isJsonObject } from "../../json.ts";
import type { alarmFields } from "./alarmThresholds.ts";
import { NUMBER_TEXT } from "./coerce.ts";
import { columnFields, environmentFields, graderFields } from "./environmentFields.ts";
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

/** A complete configuration with every default filled in. Keys are spelled as in the file. */
export type Config = ValuesOf<typeof configFields>;
export type EnvironmentConfig = ValuesOf<typeof environmentFields>;
export type ColumnsConfig = ValuesOf<typeof columnFields>;
export type GraderConfig = ValuesOf<typeof graderFields>;
export type AlarmsConfig = ValuesOf<typeof alarmFields>;
export type AlarmId = keyof AlarmsConfig;
export type NotifyConfig = Config["notify"][number];
export type EvaluationConfig = ValuesOf<typeof evaluationFields>;

/** The splits of a dataset when neither the configuration nor the file defines any. */
const DEFAULT_SPLIT_FRACTIONS: Readonly<Record<string, number>> = { train: 0.9, test: 0.1 };

/** Selects which of a field's defaults applies. */
export type DefaultKind = "hosted" | "local";

/** The schemas take plain values of the right types, fill in defaults, and reject unknown keys at every level. */
const CONFIG_SCHEMAS = {
  hosted: { rl: schemaOfConfig("hosted", "rl"), sft: schemaOfConfig("hosted", "sft") },
  local: { rl: schemaOfConfig("local", "rl"), sft: schemaOfConfig("local", "sft") },
};

/** The schema for a hosted or a local model and for the method set in `values`. */
export function configSchemaFor(kind: DefaultKind, values: unknown): z.ZodType<Config> {
  const isSupervised = isJsonObject(values) && values["method"] === "sft";
  return CONFIG_SCHEMAS[kind][isSupervised ? "sft" : "rl"];
}

/** An environment that is evaluated but not listed in the configuration, with every default. */
export function defaultEnvironment(kind: DefaultKind): EnvironmentConfig {
  const required = { splits: { test: {} }, num_rollouts: 2 };
  // This cast is sound because the schema and the type are derived from the same table.
  return schemaOfFields(environmentFields, kind).parse(required) as EnvironmentConfig;
}

// Sound for the same reason.
const defaultColumns = schemaOfFields(columnFields, "hosted").parse({}) as ColumnsConfig;
const defaultGrader = schemaOfFields(graderFields, "hosted").parse({}) as GraderConfig;

/** The dataset settings of a `local/dataset` environment with all defaults filled in. */
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
    return [key, field.optionalFor === method ? asOptional(field) : field] as const;
  });
  // Sound because `schemaOfShape` and `ValuesOf` handle the same table case by case.
  return schemaOfFields(Object.fromEntries(fields), kind) as unknown as z.ZodType<Config>;
}

/** Makes a required mapping optional: it may be missing or empty. */
function asOptional(field: Field): Field {
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
  // The contents are validated as part of the whole they complete.
  if (shape.isPartial === true) return z.record(z.string(), z.unknown());
  const schema = schemaOfFields(shape.fields, kind);
  const key = shape.shorthand;
  if (key === undefined) return schema;
  return z.preprocess((value) => (typeof value === "boolean" ? { [key]: value } : value), schema);
}
