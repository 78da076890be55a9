import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HttpRequest } from "../../../../src/core/ports.ts";
import { Redactor } from "../../../../src/core/secrets/redaction/redactor.ts";
import type { Fault } from "./fakeWandbServer.ts";
import { TrackedRun } from "./trackedRun.ts";

const steps = (run: TrackedRun) => run.server.rows().map(({ step }) => step);
/** The last reported rows of each step, in the folder's form. */
async function reportedLast(run: TrackedRun): Promise<readonly unknown[]> {
  const last = new Map(run.server.rows().map((row) => [row["step"], row]));
  const kept = await run.metrics();
  return kept.map(({ step }) => ({ step, reward: last.get(step)?.["rollout/reward/mean"] }));
}

/** Rows that repeat their step without changes. */
function repeats(run: TrackedRun): readonly unknown[] {
  const last = new Map<unknown, unknown>();
  return run.server.rows().filter((row) => {
    const { step, "rollout/reward/mean": reward } = row;
    const isRepeat = last.get(step) === reward;
    last.set(step, reward);
    return isRepeat;
  });
}

const upTo = (count: number) => Array.from({ length: count }, (_, step) => step);

describe("a run reported to W&B", () => {
  it("has each row once, its configuration, and its outcome", async () => {
    const run = await TrackedRun.begun();
    await run.say("Attempt 1 starts.");
    for (const step of upTo(3)) await run.write(step);
    await run.finish();
    expect(run.server.rows()).toMatchObject([
      { step: 0, _step: 0, "rollout/reward/mean": 0, "progress/attempt": 1, "time/total_s": 1 },
      { step: 1, _step: 1 },
      { step: 2, _step: 2, "rollout/reward/mean": 0.2 },
    ]);
    expect(JSON.parse(run.server.run.config)).toMatchObject({ save_every: { value: 0 } });
    expect(run.server.run.uploads.get("tinker-config.yaml")).toBe("batch_size: 8\n");
    expect(run.server.run).toMatchObject({ exitCode: 0, attempts: 1 });
    expect(run.server.log()[0]).toBe("Attempt 1 starts.");
    expect(run.server.log()).toHaveLength(4);
    expect(run.server.violations).toEqual([]);
    expect(run.opened).toEqual([`https://wandb.test/ada/training/runs/${run.tracker.runId}`]);
  });

  it("sends at most every 15 s, and a heartbeat after 30 s without rows", async () => {
    const run = await TrackedRun.begun();
    await run.write(0);
    await run.clock.advance(1_000);
    expect(steps(run)).toEqual([0]);
    for (const step of [1, 2, 3]) await run.write(step);
    await run.clock.advance(13_000);
    expect(steps(run)).toEqual([0]);
    await run.clock.advance(2_000);
    expect(steps(run)).toEqual([0, 1, 2, 3]);
    const before = run.server.streamed.length;
    await run.clock.advance(65_000);
    expect(run.server.streamed.slice(before)).toEqual([{}, {}]);
    await run.finish();
  });

  it("is reported through every outage with one warning, without loss or duplicates", async () => {
    const run = await TrackedRun.begun();
    await run.write(0);
    await run.clock.advance(1_000);
    run.server.fault = () => ({ status: 503 });
    for (const step of [1, 2, 3]) {
      await run.write(step);
      await run.clock.advance(120_000);
    }
    expect(run.warnings).toEqual([expect.stringContaining("cannot be reached (status 503)")]);
    run.server.fault = () => null;
    await run.clock.advance(120_000);
    expect(steps(run)).toEqual(upTo(4));
    expect(run.recoveries).toEqual(["Weights & Biases accepts the run again."]);
    run.server.fault = () => "lost";
    await run.write(4);
    await run.clock.advance(120_000);
    expect(run.warnings).toHaveLength(2);
    run.server.fault = () => null;
    await run.finish();
    expect(steps(run)).toEqual(upTo(5));
    expect([run.warnings.length, run.recoveries.length]).toEqual([2, 2]);
  });

  it("retries after a refusal, and says what to check", async () => {
    const run = new TrackedRun();
    run.server.fault = () => ({ status: 401 });
    await run.begin();
    await run.write(0);
    await run.clock.advance(600_000);
    expect(run.warnings).toEqual([expect.stringMatching(/status 401.*WANDB_API_KEY/)]);
    run.server.fault = () => null;
    await run.clock.advance(600_000);
    expect(steps(run)).toEqual([0]);
    await run.finish(1);
    expect(run.server.run.exitCode).toBe(1);
  });

  it("ends quickly when there is no answer, and the next attempt reports the rest", async () => {
    const run = new TrackedRun();
    run.server.fault = () => "lost";
    await run.begin();
    await run.write(0);
    const startedMs = run.clock.monotonic();
    await run.finish();
    expect(run.clock.monotonic() - startedMs).toBeLessThan(15_000);
    expect(run.draining[0]).toBe(1);
    expect(run.warnings).toEqual([
      "Not everything was sent to Weights & Biases (no answer: connection reset). The rest stays in the run folder and is sent when the run is resumed.",
    ]);
    run.server.fault = () => null;
    await run.begin(1);
    await run.write(1);
    await run.finish();
    expect(steps(run)).toEqual([0, 1]);
  });

  it("dates rows of an earlier attempt by their rollouts, and those of examples by the sending", async () => {
    const run = new TrackedRun();
    run.server.fault = () => "lost";
    await run.begin();
    for (const [step, startedAtMs] of [5_000_000, 0].entries()) {
      await run.addRollout(step, startedAtMs);
      await run.write(step);
    }
    await run.finish();
    run.server.fault = () => null;
    await run.begin(2);
    const sentAtS = run.clock.now() / 1000;
    await run.finish();
    const [played, example] = run.server.rows().map(({ _timestamp }) => _timestamp);
    expect(played).toBe(5_001);
    expect(example).toBeGreaterThanOrEqual(sentAtS);
  });

  it("waits at the end no longer than the user allows", async () => {
    const run = new TrackedRun();
    run.server.fault = () => "lost";
    await run.begin();
    await run.write(0);
    const impatience = new AbortController();
    run.clock.after(3_000, () => impatience.abort());
    await run.finish(0, impatience.signal);
    expect(run.clock.monotonic()).toBeLessThan(4_000);
    expect(run.warnings).toEqual([expect.stringContaining("sent when the run is resumed")]);
  });

  it("gets a table after an outage during its upload", async () => {
    const run = new TrackedRun();
    await run.configure({ save_every: 1 });
    await run.addRollout(0);
    await run.begin();
    await run.clock.advance(1_000);
    let isOut = false;
    run.server.fault = ({ method }) => {
      isOut ||= method === "PUT";
      return isOut ? "lost" : null;
    };
    await run.write(0);
    await run.clock.advance(300_000);
    run.server.fault = () => null;
    await run.finish();
    expect(run.server.rows()).toMatchObject([{ step: 0, rollouts: { nrows: 1 } }]);
  });

  it.each<[string, (request: HttpRequest) => Fault | null]>([
    ["refused", ({ body }) => (String(body).includes("CreateRunFiles") ? { status: 400 } : null)],
    ["out of reach", ({ method }) => (method === "PUT" ? "lost" : null)],
  ])("has its rows even if files are %s, and reports once what is missing", async (_, fault) => {
    const run = new TrackedRun();
    await run.configure({ save_every: 1 });
    run.server.fault = fault;
    await run.begin();
    for (const step of upTo(3)) {
      await run.addRollout(step);
      await run.write(step);
      await run.clock.advance(400_000);
    }
    await run.finish();
    expect(steps(run)).toEqual(upTo(3));
    expect(run.server.run.exitCode).toBe(0);
    expect(run.warnings.filter((reported) => reported.includes("was not uploaded"))).toHaveLength(
      1,
    );
  });

  it("has at most as many metrics as the service accepts, and reports it", async () => {
    const run = await TrackedRun.begun();
    const many = Object.fromEntries(Array.from({ length: 2_100 }, (_, i) => [`m${i}`, i]));
    await run.write(0, 0, many);
    await run.write(1, 0, many);
    await run.finish();
    expect(Object.keys(run.server.rows()[1] ?? {}).length).toBeLessThan(2_010);
    expect(run.warnings).toEqual([expect.stringContaining("first 2000 metrics")]);
  });

  it("stops once when Stop is pressed on its page, and not again after a resume", async () => {
    const run = await TrackedRun.begun();
    run.server.isStopped = true;
    await run.write(0);
    await run.clock.advance(60_000);
    expect(run.stops).toBe(1);
    await run.finish();
    await run.begin(1);
    await run.write(1);
    await run.clock.advance(60_000);
    expect(run.stops).toBe(1);
    run.server.isStopped = false;
    await run.clock.advance(60_000);
    run.server.isStopped = true;
    await run.clock.advance(60_000);
    expect(run.stops).toBe(2);
    await run.finish();
  });

  it("has the evaluation after the last step in its history and its summary", async () => {
    const run = await TrackedRun.begun();
    await run.write(0);
    await run.writeEnd(1, 0.5);
    await run.finish();
    expect(run.server.rows()).toMatchObject([
      { step: 0, "rollout/reward/mean": 0 },
      { step: 1, "eval/test/reward_mean": 0.5 },
    ]);
    expect(run.server.rows()[1]).not.toHaveProperty("rollout/reward/mean");
    expect(run.summary).toMatchObject({ "eval/test/reward_mean": 0.5 });
  });

  it("has all evaluations, including the last, once each in a table of its summary", async () => {
    const run = await TrackedRun.begun();
    await run.evaluate(0, 0.25);
    await run.write(0);
    await run.clock.advance(60_000);
    await run.write(1);
    await run.clock.advance(60_000);
    await run.evaluate(2, 0.75);
    await run.finish();
    const tables = [...run.server.run.uploads].filter(([path]) => path.includes("evaluations"));
    expect(tables).toHaveLength(2);
    const [path, text] = tables[1] ?? [];
    expect(run.summary).toMatchObject({ evaluations: { _type: "table-file", path } });
    const { columns, data } = JSON.parse(text ?? "");
    const column = (name: string) => data.map((row: unknown[]) => row[columns.indexOf(name)]);
    expect(column("step")).toEqual([0, 2]);
    expect(column("reward_mean")).toEqual([0.25, 0.75]);
    expect(column("change")).toEqual([null, 0.5]);
    expect(column("pass_at_k")).toEqual(["0.25 @1", "0.75 @1"]);
  });

  it("has an artifact with the addresses of each lasting checkpoint, also after a resume", async () => {
    const run = await TrackedRun.begun();
    await run.save("rolling_000001", 1, "rolling");
    await run.save("checkpoint_000002", 2);
    await run.write(0);
    await run.finish();
    await run.begin(1);
    await run.save("final_000003", 3, "final");
    await run.write(1);
    await run.finish();
    const { artifacts, uploads, name } = run.server.run;
    expect([...artifacts.values()]).toEqual([
      { name: `checkpoints-${name}`, aliases: ["latest", "step-2"] },
      { name: `checkpoints-${name}`, aliases: ["latest", "step-3"] },
    ]);
    const manifests = [...uploads].filter(([path]) => path.startsWith("artifact/"));
    expect(manifests).toHaveLength(2);
    const ref = "tinker://run/sampler_weights/checkpoint_000002";
    expect(JSON.parse(manifests[0]?.[1] ?? "")).toMatchObject({
      contents: { sampler: { digest: ref, ref, size: 0 }, state: { size: 0 } },
    });
    expect(run.server.violations).toEqual([]);
  });

  it("sends the evaluation table again after a failed delivery", async () => {
    const run = await TrackedRun.begun();
    await run.evaluate(0, 0.25);
    run.server.fault = ({ url }) => (url.endsWith("/file_stream") ? { status: 503 } : null);
    await run.write(0);
    await run.clock.advance(60_000);
    run.server.fault = () => null;
    await run.clock.advance(120_000);
    await run.finish();
    expect(run.summary).toMatchObject({ evaluations: { nrows: 1 } });
  });

  it.each([
    ["later", 200],
    ["before the server answers", 503],
  ])("reports settings that change %s", async (_, status) => {
    const run = new TrackedRun();
    run.server.fault = ({ body }) =>
      status === 503 && String(body).includes("UpsertBucket") ? { status } : null;
    await run.begin();
    await run.clock.advance(1_000);
    await run.configure({ save_every: 0, learning_rate: 1 });
    run.tracker.configChanged();
    run.server.fault = () => null;
    await run.finish();
    expect(JSON.parse(run.server.run.config)).toMatchObject({ learning_rate: { value: 1 } });
  });

  it("sends no secrets and no home folder paths", async () => {
    const run = new TrackedRun();
    const redactor = new Redactor();
    redactor.learn("hunter2-secret");
    await run.configure({ save_every: 0, log_path: "/home/ada/runs", note: "hunter2-secret" });
    await run.begin(0, { redactor });
    await run.finish();
    const sent = run.server.requests.map(({ body }) => String(body)).join();
    expect(sent).not.toContain("hunter2-secret");
    expect(JSON.parse(run.server.run.config)).toMatchObject({
      log_path: { value: "~/runs" },
      note: { value: "***" },
    });
  });
});

describe("a resumed run", () => {
  it("continues as the same run, and reports repeats only if they differ, with their attempt", async () => {
    const run = await TrackedRun.begun();
    for (const step of upTo(4)) await run.write(step);
    await run.clock.advance(1_000);
    await run.kill();
    await run.begin(2);
    await run.write(2);
    await run.write(3, 0.9);
    await run.write(4);
    await run.finish();
    expect(run.server.runs.size).toBe(1);
    const reported = run.server
      .rows()
      .map((row) => [row["_step"], row["step"], row["progress/attempt"]]);
    expect(reported).toEqual([
      [0, 0, 1],
      [1, 1, 1],
      [2, 2, 1],
      [3, 3, 1],
      [4, 3, 2],
      [5, 4, 2],
    ]);
  });

  it("keeps the evaluation at its end once, and adds the following steps", async () => {
    const run = await TrackedRun.begun();
    await run.write(0);
    await run.writeEnd(1, 0.5);
    await run.finish();
    // Sends the rest, and repeats nothing.
    await run.begin(2);
    await run.finish();
    // Repeats the evaluation, after a kill before its end.
    await run.begin(1);
    await run.writeEnd(1, 0.5);
    await run.finish();
    await run.begin(1);
    await run.write(1);
    await run.writeEnd(2, 0.75);
    await run.finish();
    const rows = run.server.rows();
    expect(rows.map(({ step }) => step)).toEqual([0, 1, 1, 2]);
    expect(rows.map((row) => row["eval/test/reward_mean"] ?? null)).toEqual([
      null,
      0.5,
      null,
      0.75,
    ]);
    expect(rows.map(({ _step }) => _step)).toEqual([0, 1, 2, 3]);
  });

  it("treats a repeat as equal despite service failures and machine load", async () => {
    const run = await TrackedRun.begun();
    await run.write(0, 0.5, { attempts: { mean: 1.25, max: 2 } }, { event_loop_lag_ms: 7 });
    await run.clock.advance(1_000);
    await run.kill();
    await run.begin(0);
    await run.write(0, 0.5, { attempts: { mean: 1, max: 1 } }, { event_loop_lag_ms: 9 });
    await run.write(1);
    await run.finish();
    expect(run.server.rows().map((row) => row["step"])).toEqual([0, 1]);
  });

  it("reports nothing that was superseded before it was sent", async () => {
    const run = await TrackedRun.begun();
    await run.write(0);
    await run.clock.advance(1_000);
    for (const step of [1, 2, 3]) await run.write(step, 0.7);
    await run.kill();
    await run.begin(2);
    await run.write(2, 0.2);
    await run.finish();
    expect(run.server.rows().map((row) => row["rollout/reward/mean"])).toEqual([0, 0.7, 0.2]);
  });

  it("is the same run under the server's old name, and a different one in another project", async () => {
    const run = await TrackedRun.begun({ baseUrl: "https://api.wandb.ai" });
    const { runId } = run.tracker;
    await run.finish();
    await run.begin(0, { baseUrl: "https://api.forge.coreweave.com" });
    expect(run.tracker.runId).toBe(runId);
    await run.finish();
    await run.begin(0, { project: "other", knownRunId: runId });
    expect(run.tracker.runId).not.toBe(runId);
    await run.finish();
  });

  it("is found by its id if the reporting position is lost", async () => {
    const run = await TrackedRun.begun();
    const { runId } = run.tracker;
    for (const step of upTo(2)) await run.write(step);
    await run.finish();
    await run.fileSystem.remove("/runs/run/wandb.json");
    await run.begin(2, { knownRunId: runId });
    await run.write(2);
    await run.finish();
    expect(run.server.runs.size).toBe(1);
    expect(steps(run)).toEqual(upTo(3));
  });

  it("keeps a name given on its page, unless the configuration sets one", async () => {
    const run = await TrackedRun.begun();
    await run.finish();
    expect(run.server.run.displayName).toBe("run");
    run.server.run.displayName = "the good one";
    await run.begin();
    await run.finish();
    expect(run.server.run.displayName).toBe("the good one");
    await run.begin(0, { isNameGiven: true });
    await run.finish();
    expect(run.server.run.displayName).toBe("run");
  });

  it("continues after rows uploaded by other means", async () => {
    const run = await TrackedRun.begun();
    for (const step of upTo(3)) await run.write(step);
    await run.finish();
    // As after a sync of a file with the first three rows, which this folder does not know about.
    await run.fileSystem.writeAtomic(
      "/runs/run/wandb.json",
      (await run.readText("wandb.json")).replaceAll(/"(next|history|log|step)": \d+/g, '"$1": 0'),
    );
    await run.begin(3);
    await run.write(3);
    await run.finish();
    expect(steps(run)).toEqual(upTo(4));
  });

  it("has reported everything in its folder exactly once, after any kills and faults", {
    timeout: 120_000,
  }, async () => {
    const faults = fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.constant(null) },
        fc.constantFrom<Fault>("lost", "lost-answer", "html", { status: 500 }, { status: 409 }),
      ),
      { maxLength: 30 },
    );
    const attempt = fc.record({
      rows: fc.integer({ min: 0, max: 4 }),
      /** How many steps before its end the next attempt begins. */
      back: fc.integer({ min: 0, max: 3 }),
      requests: fc.integer({ min: 1, max: 25 }),
      writes: fc.integer({ min: 0, max: 30 }),
      waitMs: fc.constantFrom(0, 20_000, 90_000),
      /** Repeats with the same reward are equal. */
      reward: fc.constantFrom(0.1, 0.2),
    });
    await fc.assert(
      fc.asyncProperty(faults, fc.array(attempt, { maxLength: 5 }), async (plan, attempts) => {
        const run = new TrackedRun();
        let next = 0;
        let requests = 0;
        let highest = 0;
        for (const { rows, back, requests: alive, writes, waitMs, reward } of attempts) {
          const begin = Math.max(0, next - back);
          await run.begin(begin);
          let sent = 0;
          run.server.fault = () => {
            sent += 1;
            // The trainer is killed during this request.
            if (sent > alive) return sent % 2 === 0 ? "lost" : "lost-answer";
            return plan[requests++ % Math.max(1, plan.length)] ?? null;
          };
          next = begin;
          for (let row = 0; row < rows; row += 1) {
            await run.write(next, reward);
            next += 1;
            highest = Math.max(highest, next);
            await run.clock.advance(waitMs);
          }
          run.fileSystem.allowedWrites = writes;
          await run.clock.advance(waitMs);
          await run.kill();
          run.fileSystem.allowedWrites = Number.POSITIVE_INFINITY;
        }
        run.server.fault = () => null;
        await run.begin(next);
        for (let step = next; step <= highest; step += 1) await run.write(step);
        await run.finish();
        expect(await reportedLast(run)).toEqual(await run.metrics());
        expect(repeats(run)).toEqual([]);
        expect(run.server.violations).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

describe("an offline run", () => {
  it("has one file per attempt, and is later uploaded with all its rows", async () => {
    const run = await TrackedRun.begun({ isOffline: true });
    const { runId } = run.tracker;
    for (const step of upTo(3)) await run.write(step);
    await run.finish();
    await run.begin(3, { isOffline: true });
    await run.write(3);
    await run.finish();
    const files = [...run.fileSystem.files.keys()].filter((name) => name.endsWith(".wandb"));
    expect(files).toHaveLength(2);
    expect(run.server.requests).toEqual([]);
    await run.begin(4);
    expect(run.tracker.runId).toBe(runId);
    await run.write(4);
    await run.finish();
    expect(steps(run)).toEqual(upTo(5));
  });

  it("has no file for an attempt without rows", async () => {
    const run = await TrackedRun.begun({ isOffline: true });
    await run.write(0);
    await run.finish();
    await run.begin(1, { isOffline: true });
    await run.finish();
    const files = [...run.fileSystem.files.keys()].filter((name) => name.endsWith(".wandb"));
    expect(files).toHaveLength(1);
  });

  it("is truncated to its last complete part after a kill during a write", async () => {
    const run = await TrackedRun.begun({ isOffline: true });
    await run.write(0);
    await run.clock.advance(1_000);
    const [path = ""] = [...run.fileSystem.files.keys()].filter((name) => name.endsWith(".wandb"));
    const whole = run.fileSystem.files.get(path)?.length ?? 0;
    await run.write(1);
    await run.clock.advance(1_000);
    await run.kill();
    const note = JSON.parse(await run.readText("wandb.json"));
    const { confirmed } = note.offline;
    // Simulates an interrupted last write: the position is not confirmed, and the file has only part of it.
    note.offline = {
      confirmed: { ...confirmed, next: 1, file: { ...confirmed.file, size: whole } },
      pending: confirmed,
    };
    await run.fileSystem.writeAtomic("/runs/run/wandb.json", JSON.stringify(note));
    await run.fileSystem.truncate(path, whole + 9);
    await run.begin(2, { isOffline: true });
    await run.finish();
    expect(run.fileSystem.files.get(path)?.length).toBe(whole);
    expect(JSON.parse(await run.readText("wandb.json")).offline.confirmed.next).toBe(2);
  });
});
