import { describe, expect, it } from "vitest";
import { diagnose } from "../../../../src/core/config/editing/diagnostics/diagnose.ts";
import { textWith } from "../configText.ts";

const ADDRESSES = ["tinker_base_url: http://here", "openreward_base_url: http://there"];
const embedded = (text: string): string =>
  text.replace("Qwen/Qwen3-8B", "local/tiny-tool").replace("Owner/Game", "local/calculator");

function unusedIn(text: string): readonly string[] {
  return diagnose(text, { path: "run.yaml" })
    .filter(({ code }) => code === "TRL213")
    .map(({ severity, path, remedies }) => `${severity} ${path[0]} | ${remedies[0]?.title}`);
}

describe("an address that nothing is reached at", () => {
  it("is reported where model and environments are embedded, with a way to remove it", () => {
    expect(unusedIn(embedded(textWith(...ADDRESSES)))).toEqual([
      "warning tinker_base_url | Remove 'tinker_base_url'",
      "warning openreward_base_url | Remove 'openreward_base_url'",
    ]);
  });

  it("is not reported if the model or one of the environments is hosted", () => {
    expect(unusedIn(textWith(...ADDRESSES))).toEqual([]);
    const evaluated = "evaluation: { splits: { Owner/Other: [test] } }";
    expect(unusedIn(embedded(textWith(ADDRESSES[1] ?? "", evaluated)))).toEqual([]);
  });
});
