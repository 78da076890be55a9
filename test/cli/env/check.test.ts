import { describe, expect, it } from "vitest";
import { parseArguments } from "../../../src/cli/arguments/arguments.ts";
import { runProgram } from "../../../src/cli/program.ts";
import type { EnvironmentReport } from "../../../src/core/environmentCheck/checkEnvironment.ts";
import { AppError } from "../../../src/core/errors.ts";
import { aTrainer, createFakeProgram } from "../fakeProgram.ts";

const REPORT: EnvironmentReport = {
  environment: "products",
  address: "http://127.0.0.1:8080",
  seed: 0,
  seconds: 2,
  checks: [
    { id: "splits", rule: "There are tasks.", measured: "train 3 tasks", findings: [] },
    {
      id: "near-overlap",
      rule: "Splits differ.",
      notMade: "there is only one split",
      findings: [],
    },
  ],
};
const BROKEN: EnvironmentReport = {
  ...REPORT,
  checks: [
    {
      id: "empty-answer",
      rule: "An empty answer earns no reward.",
      findings: [
        {
          severity: "defect",
          message: "An empty answer earns a reward.",
          evidence: {
            task: "train 0",
            call: 'answer {"value":""}',
            answer: "reward 1, finished: \u001b[2J",
          },
          advice: "Compare whole answers.",
        },
      ],
    },
  ],
};

function aProgram(...reports: readonly EnvironmentReport[]) {
  const trainer = aTrainer({
    checkEnvironments: async (_files, { onReport }) => {
      const checked = reports.map((report) => ({
        ...report,
        hasAgent: false,
        printed: "maze.py:3: E",
      }));
      for (const report of checked) onReport(report);
      return checked;
    },
  });
  return createFakeProgram({ trainer });
}

describe("env check", () => {
  it("lists each check with its measurement or the reason it was skipped, and exits with 0", async () => {
    const program = aProgram(REPORT);
    expect(await runProgram(program, ["env", "check", "products"])).toBe(0);
    const text = program.out.lines.join("\n");
    expect(text).toContain("ok       splits              train 3 tasks");
    expect(text).toContain("not made near-overlap        there is only one split");
    expect(text).toContain("nothing found");
  });

  it("reports when most checks were skipped", async () => {
    const [made, notMade] = REPORT.checks;
    const other = { id: "load", rule: "Many play at once.", notMade: "there is no task" };
    const checks = [made, notMade, notMade, { ...other, findings: [] }, notMade].flatMap(
      (each) => each ?? [],
    );
    const program = aProgram({ ...REPORT, checks });
    expect(await runProgram(program, ["env", "check", "products"])).toBe(0);
    const text = program.out.lines.join("\n");
    expect(text).toContain("1 of 5 checks made, nothing found");
    expect(text).toContain("not made near-overlap        for the same reason");
    // After another reason it would be mistaken for that one.
    expect(text.split("for the same reason")).toHaveLength(2);
    expect(text.split("there is only one split")).toHaveLength(3);
  });

  it("shows a defect with its evidence and what to do, and exits with 2", async () => {
    const program = aProgram(REPORT, BROKEN);
    expect(await runProgram(program, ["env", "check", "products"])).toBe(2);
    const text = program.out.lines.join("\n");
    expect(text).toContain("defect   An empty answer earns a reward.  empty-answer");
    expect(text).toContain('call    answer {"value":""}');
    expect(text).toContain("to do   Compare whole answers.");
    expect(text.split("Its server printed: maze.py:3: E")).toHaveLength(2);
    expect(text).not.toContain("\u001b[2J");
  });

  it("rejects a model without a configuration before the first check", async () => {
    const program = createFakeProgram();
    expect(await runProgram(program, ["env", "check", "products", "--model", "a/b"])).toBe(2);
    expect(program.err.lines).toEqual([
      "error: env check --model needs --config_path: there is no tinker-config.yaml here.",
    ]);
  });

  it("looks for the environments that a model plays in the configuration, before the first check", async () => {
    const configPaths: unknown[] = [];
    const trainer = aTrainer({
      checkEnvironments: async (_files, { configPath }) => {
        configPaths.push(configPath);
        throw new AppError("no-such-environment", "There is no environment products.");
      },
    });
    const program = createFakeProgram({ trainer });
    await program.fileSystem.writeAtomic("/home/me/tinker-config.yaml", "");
    for (const more of [["--model", "a/b"], []]) {
      expect(await runProgram(program, ["env", "check", "products", ...more])).toBe(2);
    }
    expect(configPaths).toEqual(["tinker-config.yaml", null]);
  });

  it("reports an agent that cannot be started as a defect", async () => {
    const fault = new AppError("agent-not-started", "agent.command: nosuchbin is not on the path.");
    const trainer = aTrainer({
      checkEnvironments: async () => [{ ...REPORT, hasAgent: true, printed: undefined }],
      playTask: async () => {
        throw fault;
      },
    });
    const program = createFakeProgram({ trainer });
    expect(await runProgram(program, ["env", "check", "products"])).toBe(2);
    expect(program.out.lines.join("\n")).toMatch(/defect {3}agent {15}agent\.command: nosuchbin/);
  });

  it("also writes the report to a file", async () => {
    const program = aProgram(BROKEN);
    const words = ["env", "check", "products", "--output", "/reports/check.json"];
    expect(await runProgram(program, words)).toBe(2);
    const text = await program.fileSystem.readText("/reports/check.json");
    expect(JSON.parse(text)).toMatchObject({
      environments: [{ environment: "products", defects: 1 }],
    });
    expect(program.out.lines.join("\n")).toContain("An empty answer earns a reward.");
  });

  it("prints one versioned JSON value, with the same exit code", async () => {
    const program = aProgram(BROKEN);
    expect(await runProgram(program, ["env", "check", "products", "--json"])).toBe(2);
    expect(program.out.lines).toHaveLength(1);
    expect(JSON.parse(program.out.lines[0] ?? "")).toMatchObject({
      format: "tinker-rl.environment-check/1",
      environments: [{ environment: "products", defects: 1, checks: [{ state: "found" }] }],
    });
  });

  it("accepts names, a configuration or a server", () => {
    expect(parseArguments(["env", "check", "-c", "a.yaml", "--tasks", "8"])).toMatchObject({
      kind: "env-check",
      names: [],
      configPath: "a.yaml",
      tasks: 8,
      seed: 0,
    });
    expect(parseArguments(["env", "check", "--url", "http://127.0.0.1:8080"])).toMatchObject({
      url: "http://127.0.0.1:8080",
    });
    expect(() => parseArguments(["env", "check", "--url", "8080"])).toThrow("--url");
    for (const other of [
      ["-c", "a.yaml"],
      ["--model", "a/b"],
    ]) {
      const both = ["env", "check", "--url", "http://127.0.0.1:8080", ...other];
      expect(() => parseArguments(both)).toThrow("--url is for a server without a configuration");
    }
    expect(() => parseArguments(["env", "walk"])).toThrow("env needs new, play or check");
  });
});
