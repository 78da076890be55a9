import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkCheckpointName,
  formatTinkerPath,
  parseTinkerPath,
} from "../../../src/core/tinker/paths.ts";

describe("checkpoint paths", () => {
  it("have a run, a kind, and a name", () => {
    expect(parseTinkerPath("tinker://4b1f:train:0/sampler_weights/step-10")).toEqual({
      run: "4b1f:train:0",
      kind: "sampler_weights",
      name: "step-10",
    });
  });

  it("survive formatting and parsing", () => {
    const word = fc.stringMatching(/^[A-Za-z0-9:_-]+$/);
    const kind = fc.constantFrom("weights", "sampler_weights", "external_weights");
    fc.assert(
      fc.property(fc.record({ run: word, kind, name: word }), (path) => {
        expect(parseTinkerPath(formatTinkerPath(path))).toEqual(path);
      }),
    );
  });

  it.each([
    "",
    "run/weights/a",
    "tinker://run/a",
    "tinker://run/other/a",
    "tinker://r/weights/a/b",
  ])("cannot be %j", (text) => {
    expect(() => parseTinkerPath(text)).toThrow(
      expect.objectContaining({
        code: "bad-arguments",
        message: expect.stringMatching(/is not a checkpoint path.* checkpoints list/),
      }),
    );
  });

  it("have names that every server accepts", () => {
    expect(() => checkCheckpointName("run-step_000010")).not.toThrow();
    expect(() => checkCheckpointName("a/b")).toThrow(/cannot name a checkpoint/);
  });
});
