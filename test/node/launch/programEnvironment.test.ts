import { afterEach, expect, it, vi } from "vitest";
import { programEnvironment } from "../../../src/node/launch/programEnvironment.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

it("has the editor's variables that a run's commands need, and none of the user's keys", () => {
  const needed = { VIRTUAL_ENV: "/home/ada/.venv", CUDA_VISIBLE_DEVICES: "1", https_proxy: "a:1" };
  for (const [name, value] of Object.entries(needed)) vi.stubEnv(name, value);
  vi.stubEnv("TINKER_API_KEY", "tml-secret");
  const environment = programEnvironment({ FORCE_COLOR: "1" });
  expect(environment).toMatchObject({ ...needed, FORCE_COLOR: "1" });
  expect(environment).not.toHaveProperty("TINKER_API_KEY");
});
