import { describe, expect, it } from "vitest";
import type { Shape } from "../../../../src/core/config/fields/field.ts";
import {
  configFields,
  configShape,
  fieldSections,
  shapeAt,
} from "../../../../src/core/config/fields/fields.ts";

const allFields = fieldSections.flatMap(({ title, fields }) =>
  Object.entries(fields).map(([key, field]) => ({ name: `${title}: ${key}`, field })),
);

describe("the field table", () => {
  it.each(allFields)("explains $name in complete sentences", ({ field }) => {
    expect(field.doc).toMatch(/^[^ ].{15,}\.$/);
  });

  it.each(allFields)("marks $name as nullable when its default is null", ({ field }) => {
    if (field.default === null) expect(field.nullable).toBe(true);
  });

  it("has every top-level field in one section of the reference", () => {
    const listed = fieldSections
      .filter(({ place }) => place === "")
      .flatMap(({ fields }) => Object.keys(fields));
    expect(listed.toSorted()).toEqual(Object.keys(configFields).toSorted());
  });

  it("has every field of every mapping in a section of the reference", () => {
    const listed = fieldSections.flatMap(({ fields }) => Object.values(fields));
    const missing = (shape: Shape, path: string): readonly string[] => {
      if (shape.type === "map" || shape.type === "list") return missing(shape.of, `${path}.<name>`);
      if (shape.type !== "object") return [];
      return Object.entries(shape.fields).flatMap(([key, field]) => [
        ...(listed.includes(field) ? [] : [`${path}.${key}`]),
        ...missing(field, `${path}.${key}`),
      ]);
    };
    expect(missing(configShape, "")).toEqual([]);
  });

  it("fixes the values that identify a run", () => {
    const identity = ["model_name", "lora_rank", "tokenizer_name", "seed", "batch_size"] as const;
    for (const key of identity) expect(configFields[key].change).toBe("identity");
    expect(configFields.learning_rate.change).toBe("tunable");
  });

  it("finds the shape at a path, through names and list positions", () => {
    expect(shapeAt(["environments", "a.b/C", "top_p"])).toMatchObject({ type: "number", max: 1 });
    expect(shapeAt(["evaluation", "temperatures", "0"])).toMatchObject({ type: "number" });
    expect(shapeAt(["toString"])).toBeUndefined();
    expect(shapeAt(["seed", "x", "y"])).toBeUndefined();
  });
});
