import { describe, expect, it, vi } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { RunFollower } from "../../../src/core/runFolder/follower.ts";
import { resumeRun } from "../../../src/core/runFolder/runFolder.ts";
import { LaterUsage } from "../../../src/core/runs/laterUsage.ts";
import { listRuns } from "../../../src/core/runs/runList.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { RunControl } from "../../../src/core/training/run/control.ts";
import { runRow } from "../../../src/host/views/runRow.ts";
import { runTooltip } from "../../../src/host/views/runTooltip.ts";
import { systemClock } from "../../../src/node/clock.ts";
import { createFileSystem } from "../../../src/node/fileSystem.ts";
import { gatherFacts } from "../../../src/server/dashboard/runFacts.ts";
import { noStepsText } from "../../../src/server/trajectories/trajectoryRows.ts";
import { runEnding } from "../../../src/trainer/plan/runEnding.ts";
import { runIn } from "../../integration/controlledRun.ts";
import { execute, runFolderWith } from "../../integration/localRun.ts";

vi.mock("vscode", async () => (await import("../../host/fakeVscode.ts")).fakeVscode);

const SECRET = "a-value-that-nobody-may-read";

const CONFIG = `
model_name: local/tiny-tool
run_name: run
secrets: { SOME_KEY: ${SECRET} }
environments:
  local/calculator:
    splits: { train: {} }
    num_rollouts: 2
batch_size: 1
max_steps: 2
`;

/** A run that the service ends at its first update. */
async function failedRun() {
  const project = await runFolderWith(CONFIG);
  const fileSystem = createFileSystem();
  const createModel = async (): Promise<never> => {
    const message = `The service refused ${SECRET} for ${project}/data.bin. Lower batch_size, then resume the run.`;
    throw new AppError("tinker-billing", message);
  };
  const run = execute(project, { fileSystem, change: (plan) => ({ ...plan, createModel }) });
  await expect(run).rejects.toThrow("The service refused");
  return { project, folder: runIn(project), fileSystem };
}

const liveness = { nowMs: systemClock.now(), isProcessAlive: () => false };
const SHOWN = "The service refused *** for";

describe("a failed run", () => {
  it("reports why in its folder, its row, its tooltip, the dashboard and the list of rollouts, without secrets", async () => {
    const { project, folder, fileSystem } = await failedRun();
    const text = await fileSystem.readText(runPaths(folder).runFile);
    expect(text).not.toContain(SECRET);
    expect(JSON.parse(text)).toMatchObject({
      phase: "failed",
      ending: {
        code: "tinker-billing",
        message: expect.stringContaining("then resume the run."),
      },
    });

    const [listed] = await listRuns(fileSystem, `${project}/.tinker-rl/runs`, liveness);
    if (listed === undefined) throw new Error("The run is in the list.");
    const entry = { ...listed, status: null, best: null, isLive: false };
    const row = runRow(entry, { isArchived: false, isSpinning: false });
    expect(row.description).toMatch(/^failed: The service refused \*\*\* for/);
    expect(row.spoken).toContain("Lower batch_size");
    expect(runTooltip(entry).value).toMatch(/Reason: The service refused.*Code: tinker-billing/s);
    expect(noStepsText(listed.file, false)).toContain(SHOWN);

    const follower = new RunFollower({ fileSystem, folder });
    await follower.refresh();
    const { run } = await gatherFacts({
      id: "run",
      name: "run",
      follower,
      fileSystem,
      liveness,
      evaluated: null,
      laterUsage: new LaterUsage(fileSystem.within(folder), folder),
      configFacts: { maxSteps: 2, isDemo: false, isSupervised: false, trainedAt: () => 1 },
      shortenPath: (path) => path.replace(project, "~"),
    });
    expect(run.ending).toEqual({
      code: "tinker-billing",
      message: "The service refused *** for ~/data.bin. Lower batch_size, then resume the run.",
    });

    const again = {
      pid: 1,
      host: "here",
      owner: "terminal",
      configPath: "x",
      folder,
      step: 0,
    } as const;
    const isProcessAlive = (): boolean => false;
    const lease = await resumeRun({ fileSystem, clock: systemClock, isProcessAlive }, again);
    expect(lease.file).not.toHaveProperty("ending");
    await fileSystem.close();
  });

  it("is reported as a bug in the program, if it is one", () => {
    expect(runEnding(new TypeError("x is not a function"), new Redactor())).toEqual({
      code: "bug",
      message: expect.stringMatching(/^This is a bug in Tinker RL.*x is not a function/),
    });
  });
});

describe("a stopped run", () => {
  it("reports who stopped it", () => {
    const control = new RunControl();
    control.stop("The editor that started the run was closed, so it saved and stopped.");
    expect(runEnding(control.signal.reason, new Redactor())).toEqual({
      code: "stopped",
      message: "The editor that started the run was closed, so it saved and stopped.",
    });
  });
});
