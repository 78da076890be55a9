import { writeFile } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { isJsonObject } from "../../../src/core/json.ts";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { parseJson } from "../../../src/core/util/jsonl.ts";
import { chooseSettings } from "../../../src/host/commands/steerHandlers.ts";
import {
  changeText,
  faultOfChanges,
  plainDoc,
  shortDoc,
  sweepableSettings,
  tunableSettings,
} from "../../../src/host/commands/tunableSettings.ts";
import { configIn, textWith } from "../../core/config/configText.ts";
import { folderOfThisTest } from "../../fakes/onDisk.ts";

/** A run's copy of its configuration, as its folder holds it. */
const RESOLVED = JSON.stringify(configIn(textWith("max_steps: 40", "learning_rate: 2e-5")));

function settings() {
  const config = parseJson(RESOLVED)?.value;
  if (!isJsonObject(config)) throw new Error("no configuration");
  return tunableSettings(config);
}

/** The lists and input boxes shown, and the user's answers, in order. */
const editor = vi.hoisted(() => ({
  answers: [] as ((shown: Shown) => unknown)[],
  shown: [] as Shown[],
}));
vi.mock("vscode", async () => {
  const { fakeVscode } = await import("../fakeVscode.ts");
  const answer = async (shown: Shown) => {
    editor.shown.push(shown);
    return editor.answers.shift()?.(shown);
  };
  return {
    ...fakeVscode,
    window: {
      showQuickPick: (items: Shown["items"]) => answer({ items }),
      showInputBox: ({ validateInput }: Pick<Shown, "validateInput">) => answer({ validateInput }),
    },
  };
});

interface Shown {
  readonly items?: readonly { readonly label: string; readonly detail?: string }[] | undefined;
  readonly validateInput?: ((value: string) => unknown) | undefined;
}

const row =
  (label: string) =>
  ({ items = [] }: Shown) =>
    items.find((item) => item.label.startsWith(label));

it("asks again for values that the check rejects, and shows all changes before they are applied", async () => {
  const folder = folderOfThisTest();
  await writeFile(runPaths(folder).resolvedConfig, RESOLVED);
  editor.answers.push(
    ...[row("max_steps"), () => "80", row("learning_rate"), () => "1e-5"],
    row("Apply 2 changes"),
  );
  expect(await chooseSettings(folder)).toEqual(["max_steps=80", "learning_rate=1e-5"]);
  const [, box, , , last] = editor.shown;
  expect(box?.validateInput?.("abc")).toEqual(expect.stringContaining("Expected an integer >= 1"));
  expect(box?.validateInput?.("80")).toBeFalsy();
  expect(last?.items?.[0]?.detail).toBe("learning_rate: 2e-5 → 1e-5, max_steps: 40 → 80");
});

describe("changing the settings of a run that is in progress", () => {
  it("lists the two most changed settings first", () => {
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
  ])("rejects %j with the message of the configuration check", (overrides, message) => {
    expect(faultOfChanges(RESOLVED, overrides)).toContain(message);
  });

  it.each([[["max_steps=80"]], [["learning_rate=1e-5", "max_steps=null"]]])(
    "accepts %j",
    (overrides) => {
      expect(faultOfChanges(RESOLVED, overrides)).toBeNull();
    },
  );

  it("describes each setting in one sentence, without Markdown", () => {
    for (const { field } of settings()) {
      expect(shortDoc(field)).toMatch(/^[^`]+\.$/);
      expect(plainDoc(field).startsWith(shortDoc(field))).toBe(true);
    }
    const steps = settings().find(({ key }) => key === "max_steps");
    expect(steps && shortDoc(steps.field)).toBe(
      "Number of steps after which the run ends, if num_epochs does not end it earlier.",
    );
  });

  it("shows old and new values before they are applied", () => {
    const rate = settings().find(({ key }) => key === "learning_rate");
    if (rate === undefined) throw new Error("not offered");
    expect(changeText(rate, "1e-5")).toBe("learning_rate: 2e-5 → 1e-5");
  });
});

it("names the keys of a sweep as overrides, quoted only if a name has a dot", () => {
  const environment = { num_rollouts: 4, splits: { train: {} } };
  const config = { environments: { "Owner/Game.v2": environment } };
  const keys = sweepableSettings(config).map(({ key }) => key);
  expect(keys).toContain('environments."Owner/Game.v2".num_rollouts');
});

it("offers settings of the run and of each environment for a sweep, and none that sets a run's name or folder", () => {
  const calculator = { num_rollouts: 4, splits: { train: {} } };
  const config = { learning_rate: 1e-4, seed: 1, environments: { "local/calculator": calculator } };
  const keys = sweepableSettings(config).map(({ key }) => key);
  expect(keys.slice(0, 2)).toEqual(["learning_rate", "seed"]);
  expect(keys).toContain("environments.local/calculator.num_rollouts");
  for (const given of ["run_name", "log_path", "wandb_run_name"]) expect(keys).not.toContain(given);
  expect(keys.filter((key) => key.startsWith("secrets"))).toEqual([]);
});
