/** Schemas for the editor's own files beyond the manifest: overrides in tasks and settings. */

import { gridJsonSchema, overridesJsonSchema } from "../../src/core/config/overridesSchema.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { TASK_TYPE } from "../../src/host/manifest/taskType.ts";

const $schema = "http://json-schema.org/draft-07/schema#";

/** For `tasks.json`: properties of our tasks whose values are configuration keys. */
export function tasksJsonSchema(): JsonObject {
  const isOurs = { properties: { type: { const: TASK_TYPE } }, required: ["type"] };
  const ours = { properties: { overrides: overridesJsonSchema(), grid: gridJsonSchema() } };
  // Written as "not ours, or with these properties", because an object with a `then` member would be treated as a promise.
  const items = { anyOf: [{ not: isOurs }, ours] };
  return { $schema, properties: { tasks: { items } } };
}

/** For `settings.json`. */
export function settingsJsonSchema(): JsonObject {
  return { $schema, properties: { "tinkerRL.overrides": overridesJsonSchema() } };
}
