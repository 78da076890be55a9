/** Runs whose session is lost by the service: they recover by themselves with the same result. */

import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { EXIT } from "../../src/shared/exitCodes.ts";
import type { Outcome } from "../resilience/outage/outcome.ts";
import { connectTo, eventually, linesIn, runFile } from "./controlledRun.ts";
import { forgetfulStage, messages } from "./forgetfulRun.ts";
import type { PassingAnswer } from "./tinkerServersProxy.ts";

const stage = forgetfulStage();
let undisturbed: Outcome;
let undisturbedRewards: string;

/** First steps compared with last ones, as the program does at the end. */
function rewardLine(stdout: string): string {
  return /^reward .+$/m.exec(stdout)?.[0] ?? "";
}

const evaluationSchema = z.object({ step: z.number(), purpose: z.string() });

beforeAll(async () => {
  const whole = await stage.play();
  expect(whole.code, whole.stderr).toBe(0);
  undisturbed = whole.outcome();
  undisturbedRewards = rewardLine(whole.stdout);
  expect(whole.differencesFrom(undisturbed)).toEqual([]);
}, 120_000);

const RECOVERED =
  /^The run has a new session and continues after step \d: \d steps? (is|are) repeated\.$/;

describe("a run whose session is lost repeatedly", { timeout: 180_000 }, () => {
  it("recovers by itself from its last state, with the same rows as an undisturbed run", async () => {
    const { folder, service, differencesFrom, code, stdout, stderr } = await stage.play({
      losses: [
        { endpoint: "optim_step", request: 4, status: 404 },
        // A lost sample is submitted again until a heartbeat shows that the session itself is over.
        { endpoint: "asample", request: 40, status: 410 },
        { endpoint: "asample", request: 50, status: 400 },
      ],
    });
    expect(code, stdout + stderr).toBe(0);
    // The last session is that of the evaluation at the end.
    expect({ sessions: service.sessions, lost: service.lost }).toEqual({ sessions: 5, lost: 3 });
    expect(differencesFrom(undisturbed)).toEqual([]);
    const evaluations = await linesIn(folder, "eval/results.jsonl", evaluationSchema);
    expect(evaluations.map(({ step }) => step)).toEqual([
      ...new Set(evaluations.map(({ step }) => step)),
    ]);
    const [first, second, third] = await messages(folder, "session-lost");
    expect(first).toMatch(
      /^The service has lost the session of this run: .*There is no session.* \(recovery 1 of at most 3\)\.$/,
    );
    expect(second).toMatch(/Tinker has ended the session\..* \(recovery 2 of at most 3\)\.$/);
    expect(third).toMatch(/Model \S+ not loaded\. The run opens .*\(recovery 3 of at most 3\)\.$/);
    expect(await messages(folder, "session-recovered")).toEqual([
      "The run has a new session and continues after step 2: 1 step is repeated.",
      expect.stringMatching(RECOVERED),
      expect.stringMatching(RECOVERED),
    ]);
    expect(rewardLine(stdout)).toMatch(/^reward +\S/);
    expect(rewardLine(stdout)).toBe(undisturbedRewards);
    expect(stdout.match(/TRL207/g)).toHaveLength(1);
    expect(stdout).toContain("The service has lost the session of this run");
    expect(stdout).toContain("The run has a new session and continues after step 2");
    expect(await runFile(folder)).toMatchObject({ phase: "done", attempt: 4, generation: 4 });
  });
});

describe("a run whose account is blocked while it has no session", { timeout: 180_000 }, () => {
  it("waits for the payment before it continues, and before the final evaluation", async () => {
    const unpaid: PassingAnswer = {
      status: 402,
      type: "application/json",
      body: Buffer.from("{}"),
    };
    let contacts = 0;
    const { service, differencesFrom, code, stderr } = await stage.play(
      { losses: [{ endpoint: "optim_step", request: 4, status: 404 }] },
      {
        settings: "max_recoveries: 1\n",
        filter: {
          request: (passing) => {
            if (!passing.path.endsWith("/client/config")) return passing;
            contacts += 1;
            return contacts === 2 || contacts === 4 ? unpaid : passing;
          },
          answer: (answer) => answer,
        },
      },
    );
    expect(code, stderr).toBe(0);
    expect({ contacts, sessions: service.sessions }).toEqual({ contacts: 5, sessions: 3 });
    expect(differencesFrom(undisturbed)).toEqual([]);
  });
});

describe("a run with recovery disabled", { timeout: 180_000 }, () => {
  it("ends when its session is lost, and can be resumed", async () => {
    const loss = { endpoint: "forward_backward", request: 4, status: 404 } as const;
    const { folder, service, differencesFrom, code, stderr, resume } = await stage.play(
      { losses: [loss] },
      { settings: "max_recoveries: 0\n" },
    );
    expect(code).toBe(5);
    expect(stderr).toMatch(
      /The service has lost the session of this run: .*There is no session.* max_recoveries is 0, so the run ends\. Resume it: what was saved is kept\./,
    );
    expect(service.sessions).toBe(1);
    expect(await runFile(folder)).toMatchObject({ phase: "failed", attempt: 1 });
    expect(await messages(folder, "session-lost")).toEqual([]);
    expect((await resume()).code).toBe(0);
    expect(differencesFrom(undisturbed)).toEqual([]);
  });

  it("ends when it reaches its maximum number of recoveries", async () => {
    const loss = { endpoint: "optim_step", request: 1, status: 404 } as const;
    const { folder, service, code, stderr } = await stage.play(
      { losses: [loss, loss, loss] },
      { settings: "max_recoveries: 2\n" },
    );
    expect(code, stderr).toBe(5);
    expect(stderr).toContain(
      "max_recoveries is 2, and this run has already made 2 recoveries, so the run ends. Resume it: what was saved is kept.",
    );
    expect(service.sessions).toBe(3);
    expect(await messages(folder, "session-lost")).toHaveLength(2);
    expect(await runFile(folder)).toMatchObject({ phase: "failed", attempt: 3 });
  });
});

describe("a run that is stopped before it has its new session", { timeout: 180_000 }, () => {
  it("stops immediately, and resumes to the same result", async () => {
    const loss = { endpoint: "optim_step", request: 4, status: 404 } as const;
    const { folder, service, differencesFrom, code, stderr, resume } = await stage.play(
      { losses: [loss], closedAfter: 1 },
      {
        disturb: async (project) => {
          await eventually(async () =>
            (await messages(project, "session-lost"))[0] ? true : null,
          );
          const client = await connectTo(project);
          await eventually(async () => {
            const { status } = await client.send({ action: "status" });
            return status?.phase === "preparing" ? true : null;
          });
          expect(await runFile(project)).toMatchObject({ phase: "preparing", attempt: 1 });
          await client.send({ action: "stop" });
        },
      },
    );
    expect(code, stderr).toBe(EXIT.stopped);
    expect(await runFile(folder)).toMatchObject({ phase: "stopped", ending: { code: "stopped" } });
    service.reopen();
    expect((await resume()).code).toBe(0);
    expect(differencesFrom(undisturbed)).toEqual([]);
  });
});
