/** The arguments of tools are described by valid JSON Schemas. */

import { shorten } from "../probe/answer.ts";
import { type EnvironmentCheck, found } from "../probe/finding.ts";
import { schemaFaults } from "../probe/jsonSchema.ts";

export const toolSchemas: EnvironmentCheck = {
  id: "tool-schemas",
  rule: "The schema of each tool is valid JSON Schema of an object.",
  async run(probe) {
    const tools = await probe.tools();
    const findings = tools.flatMap(({ name, schema }) => {
      const faults = schema === null ? [] : schemaFaults(schema);
      return faults.length === 0
        ? []
        : [
            {
              severity: "defect" as const,
              message: `The schema of the tool ${name} is invalid: ${faults.join("; ")}.`,
              evidence: { numbers: shorten(JSON.stringify(schema)) },
              advice: "Correct the schema: models read it, and formats that enforce it refuse it.",
            },
          ];
    });
    return found(undefined, ...findings);
  },
};
