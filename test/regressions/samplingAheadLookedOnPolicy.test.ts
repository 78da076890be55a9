/** Neither terminal nor `show` said that a run samples ahead, and the terminal divided its tokens by the time that a step waited for them. */

import { expect, it } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { eventLines } from "../../src/cli/progress/progressLines.ts";
import { advanceProgress, INITIAL_PROGRESS } from "../../src/cli/progress/progressModel.ts";
import { renderLine } from "../../src/cli/terminal/line.ts";
import { runPaths } from "../../src/core/runFolder/files/layout.ts";
import { appendMetrics, buildMetricsRow } from "../../src/core/runFolder/metrics/metrics.ts";
import type { ProgressEvent } from "../../src/core/training/run/progress.ts";
import { createFakeProgram, started, stepFinished } from "../cli/fakeProgram.ts";
import { stepFacts } from "../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";
import { metric, prepareAhead } from "../core/training/loop/prepareAhead.ts";

const FOLDER = "runs/demo";

function screen(...events: readonly ProgressEvent[]): readonly string[] {
  const layout = {
    width: Number.POSITIVE_INFINITY,
    isLive: false,
    invocation: { program: "tinker-rl", cwd: "/home/me" },
  };
  let model = INITIAL_PROGRESS;
  return events.flatMap((event) => {
    model = advanceProgress(model, event);
    return eventLines(event, model, layout).map((line) => renderLine(line, false));
  });
}

it("names the steps that are sampled ahead before the first step", () => {
  const ahead = "plan          40 steps of 16 groups, sampled 2 steps ahead, resumed at step 13";
  expect(screen(started({ stepsAhead: 2, step: 12 }))).toContain(ahead);
});

it("counts sampled tokens over the whole step, in which sampling goes on", () => {
  const step = stepFinished({ rolloutS: 0.01, totalS: 4, sampledTokens: 4_000 });
  const throughput = (stepsAhead: number) =>
    screen(started({ stepsAhead }), step)
      .join("\n")
      .match(/[\d,]+ tok\/s/)?.[0];
  expect(throughput(2)).toBe("1,000 tok/s");
  expect(throughput(0)).toBe("400,000 tok/s");
});

it("shows what waits in the queue, and how old it was when it was trained", async () => {
  const fileSystem = createMemoryFileSystem();
  const async = { queue_depth: 12, queue_ready: 5, staleness: { mean: 2, min: 2, max: 2 } };
  const row = buildMetricsRow(stepFacts({ step: 6, extra: { async } }));
  await appendMetrics(fileSystem, FOLDER, row);
  const config = JSON.stringify({ model_name: "local/tiny-tool", tokenizer_name: null });
  await fileSystem.writeAtomic(runPaths(FOLDER).resolvedConfig, config);
  const program = createFakeProgram({ fileSystem });
  await runProgram(program, ["show", FOLDER]);
  expect(program.out.lines).toContain(
    "sampled ahead 12 groups in the queue before step 7, 5 of them ended; staleness 2",
  );
});

it("records the throughput of the whole step", async () => {
  const run = prepareAhead({ stepsAhead: 1, steps: 4, sampleMs: (seed) => 500 + (seed % 1_000) });
  const { client, clock } = run.context;
  const { optimStep } = client;
  client.optimStep = async (params) => {
    await clock.sleep(5_000);
    return await optimStep.call(client, params);
  };
  await run.run();
  const [rates, tokens, seconds] = [
    "throughput/sampled_tok_s",
    "tokens/sampled",
    "time/total_s",
  ].map((name) => metric(run, name));
  const expected = tokens?.map((count, step) => Number(count) / Number(seconds?.[step]));
  expect(expected?.every((rate) => Number.isFinite(rate))).toBe(true);
  expect(rates).toEqual(expected);
});
