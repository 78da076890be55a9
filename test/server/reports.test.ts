import { expect, it } from "vitest";
import { REPORT_REQUESTS, type ReportRequest } from "../../src/api/reports.ts";
import { appendMetrics, buildMetricsRow } from "../../src/core/runFolder/metrics/metrics.ts";
import { rolloutFacts, stepFacts } from "../core/runFolder/builders.ts";
import { filesOnDisk, folderOfAllTests } from "../fakes/onDisk.ts";
import { anEditor } from "./anEditor.ts";

const files = filesOnDisk();
const folder = folderOfAllTests();

it("writes the report of a run under the name shown in the editor", async () => {
  const rollouts = [rolloutFacts({ reward: 0.25 })];
  await appendMetrics(files.within(folder), folder, buildMetricsRow(stepFacts({ rollouts })));
  const { ask } = anEditor({});
  const request = (format: ReportRequest["format"]): ReportRequest => {
    return { runs: [{ folder, name: "renamed" }], format };
  };
  expect(await ask(REPORT_REQUESTS.write, request("html"))).toEqual({
    ok: true,
    value: expect.stringMatching(/^<!DOCTYPE html>.*<h1>renamed<\/h1>/s),
  });
  expect(await ask(REPORT_REQUESTS.write, request("markdown"))).toEqual({
    ok: true,
    value: expect.stringMatching(/^## renamed/),
  });
});
