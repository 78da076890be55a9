/** Values for other programs. Each has a name, a version and a schema, and contains only the fields of its schema. */

import * as z from "zod";
import type { JsonObject } from "../json.ts";

/** Null for numbers that JSON cannot represent. */
export const measure = z.number().nullable();
export const count = z.number().int().nonnegative();
export const time = z.string().describe("ISO 8601, in UTC");

export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly();
}

type Fields<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape>>;

export interface Output<Shape extends z.ZodRawShape> {
  /** In kebab case; its schema file is named after it. */
  readonly name: string;
  /** Incremented when a field is removed or changes meaning, not for new fields. */
  readonly version: number;
  /** The command that prints it. */
  readonly command: string;
  /** Drops fields that are not in the schema. @throws ZodError for a value that does not fit, which is a bug in the program */
  of(fields: z.input<z.ZodObject<Shape>>): { readonly format: string } & Fields<Shape>;
  /** JSON schema, draft 7. It allows additional fields, since later versions may print more. */
  jsonSchema(): JsonObject;
}

export function defineOutput<Shape extends z.ZodRawShape>(
  { name, version, command }: Pick<Output<Shape>, "name" | "version" | "command">,
  shape: Shape,
): Output<Shape> {
  const format = `tinker-rl.${name}/${version}`;
  const fields = z.object(shape);
  return {
    name,
    version,
    command,
    of: (value) => ({ format, ...fields.parse(value) }),
    jsonSchema: () => {
      const schema = z.toJSONSchema(z.object({ format: z.literal(format), ...shape }), {
        target: "draft-7",
        io: "input",
        override: ({ jsonSchema }) => {
          // Drop the default bound, which every integer has.
          if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
          delete jsonSchema.readOnly;
        },
      });
      const { $schema, ...rest } = schema as JsonObject; // zod's schema is JSON
      return { $schema: $schema ?? null, title: `tinker-rl ${command}`, ...rest };
    },
  };
}

/** Null if the value is not a valid time; run files may contain any number. */
export function timeText(ms: number | null): string | null {
  const date = new Date(ms ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Null if the value is not a valid count; run files may contain any number. */
export function counted(value: number | null | undefined): number | null {
  return Number.isSafeInteger(value) && (value ?? -1) >= 0 ? (value ?? null) : null;
}

/** Null if JSON cannot represent the value. */
export function finite(value: number | null | undefined): number | null {
  return value === null || value === undefined || !Number.isFinite(value) ? null : value;
}
