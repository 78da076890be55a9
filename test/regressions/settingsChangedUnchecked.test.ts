import { describe, expect, it } from "vitest";
import { isJsonObject } from "../../src/core/json.ts";
import { parseJson } from "../../src/core/util/jsonl.ts";
import {
  changeText,
  faultOfChanges,
  tunableSettings,
} from "../../src/host/commands/tunableSettings.ts";
import { configIn, textWith } from "../core/config/configText.ts";

/** A run's copy of its configuration, as its folder holds it. */
const RESOLVED = JSON.stringify(configIn(textWith("max_steps: 40", "learning_rate: 2e-5")));

function settings() {
  const config = parseJson(RESOLVED)?.value;
  if (!isJsonObject(config)) throw new Error("no configuration");
  return tunableSettings(config);
}

describe("changing the settings of a run that is under way", () => {
  it("offers the two that are changed most before all others", () => {
    expect(
      settings()
        .slice(0, 2)
        .map(({ key }) => key),
    ).toEqual(["learning_rate", "max_steps"]);
  });

  it.each([
    [["max_steps=abc"], 'Expected an integer >= 1 (steps), or null, got the text "abc".'],
    [["learning_rate=-1"], "Expected a number >= 0"],
    [["environments.Owner/Game.temperature=hot"], "Expected a number"],
    [["max_steps=50", "max_steps=-3"], "Expected an integer >= 1"],
  ])("refuses %j with what the configuration's own check says", (overrides, message) => {
    expect(faultOfChanges(RESOLVED, overrides)).toContain(message);
  });

  it.each([[["max_steps=80"]], [["learning_rate=1e-5", "max_steps="]]])("takes %j", (overrides) => {
    expect(faultOfChanges(RESOLVED, overrides)).toBeNull();
  });

  it("shows old and new values before they are applied", () => {
    const rate = settings().find(({ key }) => key === "learning_rate");
    if (rate === undefined) throw new Error("not offered");
    expect(changeText(rate, "1e-5")).toBe("learning_rate: 2e-5 → 1e-5");
  });
});
