import { expect, it } from "vitest";
import recorded from "./onPolicyRecording.json" with { type: "json" };
import { recordedRun } from "./recordedRun.ts";

// `onPolicyRecording.json` was recorded before groups could be sampled ahead; intervals, gradient norms and last digits of means are newer.
it("an on-policy run requests, trains and reports the same as before runs could sample ahead", async () => {
  const { rows, ...asked } = await recordedRun();
  const { rows: recordedRows, ...askedBefore } = recorded;
  expect(asked).toEqual(askedBefore);
  // The recording has a row with an evaluation and one without. New columns are allowed; recorded ones keep their values.
  expect(rows).toHaveLength(4);
  expect(rows.slice(2)).toMatchObject(recordedRows);
});
