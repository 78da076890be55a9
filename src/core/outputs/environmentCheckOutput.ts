/** Output record of environment checks. */

import * as z from "zod";
import type { EnvironmentReport } from "../environmentCheck/checkEnvironment.ts";
import { count, defineOutput, list } from "./output.ts";

const text = z.string().nullable();

export const environmentCheckOutput = defineOutput(
  { name: "environment-check", version: 1, command: "env check NAME --json" },
  {
    environments: list(
      z.object({
        environment: z.string(),
        address: z.string().describe("origin of its server"),
        seed: count,
        seconds: z.number(),
        defects: count,
        checks: list(
          z.object({
            id: z.string(),
            rule: z.string().describe("what the environment should do"),
            state: z
              .enum(["passed", "found", "not made"])
              .describe("not made: there was nothing to check, or no time left"),
            measured: text,
            reason: text.describe("why the check was not made"),
            findings: list(
              z.object({
                severity: z
                  .enum(["defect", "warning", "note"])
                  .describe("a warning may be intended; a note is for information"),
                message: z.string(),
                task: text.describe("split and index"),
                call: text,
                answer: text,
                numbers: text,
                advice: z.string(),
              }),
            ),
          }),
        ),
      }),
    ),
  },
);

export function describeEnvironmentChecks(
  reports: readonly EnvironmentReport[],
): ReturnType<typeof environmentCheckOutput.of> {
  const environments = reports.map(({ environment, address, seed, seconds, checks }) => ({
    environment,
    address,
    seed,
    seconds,
    defects: checks
      .flatMap(({ findings }) => findings)
      .filter(({ severity }) => severity === "defect").length,
    checks: checks.map(({ id, rule, measured, notMade, findings }) => ({
      id,
      rule,
      state: stateOf(findings.length, notMade),
      measured: measured ?? null,
      reason: notMade ?? null,
      findings: findings.map(({ severity, message, evidence, advice }) => ({
        severity,
        message,
        advice,
        task: evidence.task ?? null,
        call: evidence.call ?? null,
        answer: evidence.answer ?? null,
        numbers: evidence.numbers ?? null,
      })),
    })),
  }));
  return environmentCheckOutput.of({ environments });
}

function stateOf(findings: number, notMade: string | undefined) {
  if (findings > 0) return "found" as const;
  return notMade === undefined ? ("passed" as const) : ("not made" as const);
}
