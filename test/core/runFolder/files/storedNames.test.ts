import { describe, expect, it } from "vitest";
import { checkpointPath } from "../../../../src/core/runFolder/files/storedNames.ts";

describe("the stored address of a checkpoint", () => {
  it.each([
    "tinker://S:train:0/weights/final_000002",
    "tinker://run-1/sampler_weights/a",
    "tinker://run/a",
  ])("may be %s", (path) => {
    expect(checkpointPath.safeParse(path).success).toBe(true);
  });

  it.each([
    "tinker://run/weights/%2e%2e",
    "tinker://%2e%2e/weights/a",
    "tinker://run%2Fother/weights/a",
    "tinker://../weights/a",
    "tinker://run/weights/a?x=1",
    "https://run/weights/a",
  ])("is not %s", (path) => {
    expect(checkpointPath.safeParse(path).success).toBe(false);
  });
});
