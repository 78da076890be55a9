/** Values that other programs read: each has a name, a version and a schema, and holds what the schema names and nothing else. */

import * as z from "zod";
import type { JsonObject } from "../json.ts";

/** JSON has no other numbers. */
export const measure = z.number().nullable();
export const count = z.number().int().nonnegative();
export const time = z.string().describe("ISO 8601, in UTC");

export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly();
}

type Fields<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape>>;

export interface Output<Shape extends z.ZodRawShape> {
  /** In kebab case; the file of its schema is named after it. */
  readonly name: string;
  /** Rises when a field goes or changes its meaning, never for a new field. */
  readonly version: number;
  /** Which command prints it. */
  readonly command: string;
  /** Fields without a place in the schema are left out. @throws ZodError for a value that does not fit, which is a bug in the program */
  of(fields: z.input<z.ZodObject<Shape>>): { readonly format: string } & Fields<Shape>;
  /** As a JSON schema, draft 7. Validators that read it take further fields, as a later program may print them. */
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
          // Every integer has this bound.
          if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
          delete jsonSchema.readOnly;
        },
      });
      const { $schema, ...rest } = schema as JsonObject; // zod makes JSON
      return { $schema: $schema ?? null, title: `tinker-rl ${command}`, ...rest };
    },
  };
}

/** Null for what is no time; files of a run may hold any number. */
export function timeText(ms: number | null): string | null {
  const date = new Date(ms ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Null for what counts nothing; files of a run may hold any number. */
export function counted(value: number | null | undefined): number | null {
  return Number.isSafeInteger(value) && (value ?? -1) >= 0 ? (value ?? null) : null;
}

/** Null for what JSON cannot hold. */
export function finite(value: number | null | undefined): number | null {
  return value === null || value === undefined || !Number.isFinite(value) ? null : value;
}
