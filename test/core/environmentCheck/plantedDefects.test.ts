import { describe, expect, it } from "vitest";
import {
  checkEnvironment,
  findingsOf,
} from "../../../src/core/environmentCheck/checkEnvironment.ts";
import { connectEnvironments } from "../../../src/core/openreward/environments.ts";
import { EMBEDDED_ENVIRONMENTS } from "../../../src/local/environment/catalogue.ts";
import { systemClock } from "../../../src/node/clock.ts";
import { systemRandom } from "../../../src/node/random.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { startServer } from "../../local/environment/server/running.ts";
import { PLANTED, type Planted, SOUND } from "./plantedDefects.ts";

async function check(planted: Planted, only?: readonly string[]) {
  const { environment, http = (inner) => inner, limits } = planted;
  const running = await startServer({ environments: [environment], apiKey: null }, "socket");
  const remote = connectEnvironments({
    http: http(running.http),
    clock: systemClock,
    random: { ...systemRandom, uniform: () => 0 },
    log: silentLog,
    baseUrl: running.baseUrl,
    apiKey: null,
    userAgent: "tinker-rl/test",
  }).environment(`local/${environment.name}`);
  return checkEnvironment({
    remote,
    clock: systemClock,
    seed: 1,
    tasks: 32,
    split: null,
    secrets: {},
    maxTotalTokens: null,
    limits,
    only,
  });
}

const table: string[] = [];

describe("planted defects", () => {
  it.each(PLANTED.map((each) => [each.what, each] as const))("finds %s", async (what, planted) => {
    const report = await check(planted, [planted.check ?? ""]);
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

describe("environments without a defect", () => {
  const embedded = EMBEDDED_ENVIRONMENTS.map(
    (environment): Planted => ({ what: `local/${environment.name}`, check: null, environment }),
  );
  it.each([...embedded, ...SOUND].map((each) => [each.what, each] as const))(
    "reports no defect of %s",
    async (what, planted) => {
      const report = await check(planted);
      const findings = findingsOf(report);
      const others = findings.map(({ severity, check: id }) => `${id} (${severity})`);
      table.push(`${what.padEnd(50)} ${others.join(", ") || "nothing found"}`);
      expect(findings.filter(({ severity }) => severity === "defect")).toEqual([]);
    },
    60_000,
  );

  it("prints what was found", () => {
    process.stdout.write(`${table.join("\n")}\n`);
  });
});
