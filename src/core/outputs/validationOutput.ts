/** Output record of a configuration's problems. */

import * as z from "zod";
import type { ParseResult } from "../config/parse.ts";
import { count, defineOutput, list } from "./output.ts";

export const validationOutput = defineOutput(
  { name: "validation", version: 1, command: "validate FILE --json" },
  {
    configPath: z.string(),
    isValid: z.boolean().describe("whether a run would start; warnings do not prevent that"),
    problems: list(
      z.object({
        severity: z.enum(["error", "warning", "info", "hint"]),
        code: z.string().describe("code of the rule, such as TRL110"),
        message: z.string(),
        key: list(z.string()).describe("path to the problem, from the root of the file"),
        line: count.nullable().describe("from 1; null: no position in the file"),
        column: count.nullable(),
        override: z
          .string()
          .nullable()
          .describe("the key of the override that set the value; null: the file did"),
      }),
    ),
  },
);

export function describeValidation(
  configPath: string,
  result: ParseResult,
): ReturnType<typeof validationOutput.of> {
  const problems = result.ok ? result.warnings : result.problems;
  return validationOutput.of({
    configPath,
    isValid: result.ok,
    problems: problems.map(({ severity, code, message, path, at, override }) => ({
      severity,
      code,
      message,
      key: [...path],
      line: at?.line ?? null,
      column: at?.column ?? null,
      // Omit the value, which may be a secret.
      override: override?.split("=", 1)[0] ?? null,
    })),
  });
}
