import { describe, expect, it } from "vitest";
import { findingsOf } from "../../../src/core/environmentCheck/checkEnvironment.ts";
import { EMBEDDED_ENVIRONMENTS } from "../../../src/local/environment/catalogue.ts";
import { checkPlanted } from "./checkPlanted.ts";
import { PLANTED, type Planted, SOUND } from "./plantedDefects.ts";

const table: string[] = [];

describe("planted defects", () => {
  it.each(PLANTED.map((each) => [each.what, each] as const))("finds %s", async (what, planted) => {
    const report = await checkPlanted(planted, [planted.check ?? ""]);
    const [finding] = findingsOf(report);
    table.push(
      `${what.padEnd(50)} ${(finding?.check ?? "-").padEnd(18)} ${finding?.severity ?? "-"}`,
    );
    expect(report.checks.map(({ notMade }) => notMade)).toEqual([undefined]);
    expect(finding).toMatchObject({ check: planted.check, severity: planted.severity ?? "defect" });
    expect(finding?.message).toMatch(/^[A-Z\d].*\.$/);
    expect(finding?.advice).toMatch(/^[A-Z].*\.$/);
  });
});

describe("environments without defects", () => {
  const embedded = EMBEDDED_ENVIRONMENTS.map(
    (environment): Planted => ({ what: `local/${environment.name}`, check: null, environment }),
  );
  it.each([...embedded, ...SOUND].map((each) => [each.what, each] as const))(
    "reports no defect in %s",
    async (what, planted) => {
      const report = await checkPlanted(planted);
      const findings = findingsOf(report);
      const others = findings.map(({ severity, check: id }) => `${id} (${severity})`);
      table.push(`${what.padEnd(50)} ${others.join(", ") || "nothing found"}`);
      expect(findings.filter(({ severity }) => severity === "defect")).toEqual([]);
    },
    60_000,
  );

  it("prints the findings", () => {
    process.stdout.write(`${table.join("\n")}\n`);
  });
});
