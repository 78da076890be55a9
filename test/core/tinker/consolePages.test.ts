import { expect, it } from "vitest";
import { TINKER_URL } from "../../../src/core/services.ts";
import { checkpointPage } from "../../../src/core/tinker/paths.ts";

const PATH = "tinker://2f6c:train:0/sampler_weights/final_000040";

it("the kind and name of a checkpoint form one segment of its page's address", () => {
  expect(checkpointPage(PATH, TINKER_URL)).toBe(
    "https://tinker.thinkingmachines.ai/checkpoints/2f6c%3Atrain%3A0/sampler_weights%2Ffinal_000040",
  );
});

it.each(["http://127.0.0.1:8000", `${TINKER_URL.split("/services")[0]}.example/`])(
  "a service at %s has no such pages",
  (baseUrl) => {
    expect(checkpointPage(PATH, baseUrl)).toBeNull();
  },
);
