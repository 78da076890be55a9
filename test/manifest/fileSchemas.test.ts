import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { configFields, shapeAt } from "../../src/core/config/fields/fields.ts";
import { manifest } from "./builtManifest.ts";

const { contributes } = manifest;
const keys = z.object({ properties: z.record(z.string(), z.looseObject({})) });

function read(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

const tasks = z
  .object({
    properties: z.object({
      tasks: z.object({
        items: z.object({
          anyOf: z.tuple([
            z.object({ not: z.unknown() }),
            z.object({ properties: z.object({ overrides: keys, grid: keys }) }),
          ]),
        }),
      }),
    }),
  })
  .parse(read("media/tasks.schema.json")).properties.tasks.items.anyOf;
const overrides = tasks[1].properties.overrides.properties;

describe("JSON schemas for the editor's own files", () => {
  it("refer to files that exist and are packaged", () => {
    const ignored = readFileSync(".vscodeignore", "utf8");
    expect(ignored).toContain("!media/*.schema.json");
    for (const { url } of contributes.jsonValidation) expect(() => read(url)).not.toThrow();
    expect(contributes.jsonValidation.map(({ fileMatch }) => fileMatch[0])).toEqual([
      "/.vscode/tasks.json",
      "/.vscode/settings.json",
    ]);
  });

  it("list the configuration keys that one override can set, each with its documentation", () => {
    for (const [key, schema] of Object.entries(overrides)) {
      expect(shapeAt(key.split(".")), key).toBeDefined();
      expect(schema["markdownDescription"], key).toMatch(/\w/);
    }
    expect(Object.keys(overrides)).toEqual(
      expect.arrayContaining(["learning_rate", "thinking.enabled", "evaluation.every"]),
    );
    expect(overrides).not.toHaveProperty("secrets");
    expect(Object.keys(tasks[1].properties.grid.properties)).toEqual(Object.keys(overrides));
  });

  it("accept a value as JSON and as command-line text", () => {
    expect(overrides["learning_rate"]?.["type"]).toEqual(["number", "string"]);
    expect(overrides["max_steps"]?.["type"]).toEqual(["integer", "string", "null"]);
    expect(overrides["loss_fn"]?.["enum"]).toEqual(configFields.loss_fn.values);
  });

  it("list the same keys in the settings", () => {
    const settings = z
      .object({ properties: z.object({ "tinkerRL.overrides": keys }) })
      .parse(read("media/settings.schema.json"));
    expect(settings.properties["tinkerRL.overrides"].properties).toEqual(overrides);
  });

  it("describe enum values in tasks and settings alike", () => {
    const all = [...contributes.taskDefinitions, ...contributes.configuration].flatMap(
      ({ properties }) => Object.entries(properties),
    );
    for (const [key, { enum: words = [], enumDescriptions = [] }] of all) {
      expect(enumDescriptions, key).toHaveLength(words.length);
    }
  });
});
