import { expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { sampleRefusal } from "../../../src/core/rollout/sampleRefusal.ts";

const request = {
  prompt: [1, 2],
  maxTokens: 5,
  temperature: 1,
  topK: -1,
  topP: 1,
  seed: undefined,
  stop: [],
};

it.each([
  ["a request that is too large, whatever the service says", 413, "no", "prompt-too-long"],
  ["a context that is full", 400, "input is too long", "prompt-too-long"],
  ["any other content", 400, "no", "sample-refused"],
])("%s is known by status and text", (_name, status, detail, code) => {
  const fault = new AppError("tinker-bad-request", "", { data: { status, detail } });
  expect(sampleRefusal(fault, request)?.code).toBe(code);
});

it("the form of every request is no refusal of this one", () => {
  const fault = new AppError("tinker-bad-request", "", { data: { status: 422, detail: "no" } });
  expect(sampleRefusal(fault, request)).toBeNull();
});
