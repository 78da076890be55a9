import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as z from "zod";
import { evaluationSchema } from "../../../src/core/runFolder/evaluationLog.ts";
import {
  evaluatedSchema,
  indexLineSchema,
  rolloutRecordSchema,
} from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { phasesLine } from "../../../src/core/runFolder/rollouts/stepPhases.ts";
import { runFileSchema } from "../../../src/core/runFolder/runFile.ts";
import { usageEntry } from "../../../src/core/runFolder/usageLog.ts";

/** The names of all fields of a JSON schema, including nested ones. */
function fieldsOf(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = "properties" in schema ? Object.keys(schema.properties ?? {}) : [];
  return [...own, ...Object.values(schema).flatMap(fieldsOf)];
}

it.each([
  ["Rollouts", [rolloutRecordSchema, evaluatedSchema]],
  ["Index of a step", [indexLineSchema, phasesLine]],
  ["Evaluations", [evaluationSchema]],
  ["Tokens used", [usageEntry]],
  ["The run", [runFileSchema]],
])("the run folder documentation has every field under %s", (title, schemas) => {
  const [, text = ""] = readFileSync("docs/run-folder.md", "utf8").split(`### ${title}\n`);
  const [section = ""] = text.split("\n#");
  const fields = schemas.flatMap((schema) => fieldsOf(z.toJSONSchema(schema, { io: "input" })));
  // The index repeats the task of a rollout.
  const task = title === "Index of a step" ? ["taskKey", "environment", "split", "index"] : [];
  const known = [...section.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(fields.length).toBeGreaterThan(5);
  expect(fields.filter((name) => ![...known, ...task].includes(name))).toEqual([]);
});
