/** What the editor completes and checks in its own files beyond the manifest: overrides in tasks and settings. */

import { gridJsonSchema, overridesJsonSchema } from "../../src/core/config/overridesSchema.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { TASK_TYPE } from "../../src/host/manifest/taskType.ts";

const $schema = "http://json-schema.org/draft-07/schema#";

/** For `tasks.json`: the keys of our tasks whose values are keys of a configuration. */
export function tasksJsonSchema(): JsonObject {
  const isOurs = { properties: { type: { const: TASK_TYPE } }, required: ["type"] };
  const ours = { properties: { overrides: overridesJsonSchema(), grid: gridJsonSchema() } };
  // Said as "not ours, or with these properties", because an object with a member `then` is taken for a promise.
  const items = { anyOf: [{ not: isOurs }, ours] };
  return { $schema, properties: { tasks: { items } } };
}

/** For `settings.json`. */
export function settingsJsonSchema(): JsonObject {
  return { $schema, properties: { "tinkerRL.overrides": overridesJsonSchema() } };
}
