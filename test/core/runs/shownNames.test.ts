import { expect, it } from "vitest";
import {
  type RunOfList,
  settingsName,
  shownNames,
  variedSettings,
} from "../../../src/core/runs/shownNames.ts";

function aRun(settings: readonly string[], sweep = "math-sweep", label: string | null = null) {
  const name = `${sweep}.${settings.join(".")}`;
  const member = { id: sweep, name: sweep, combination: 0, combinations: 2, settings };
  return { name, file: { sweep: member }, label } satisfies RunOfList;
}

it("a run of a sweep is named by its settings, and any other by its own name or the user's", () => {
  const runs = [
    aRun(["learning_rate=1e-2", "seed=1"]),
    aRun(["learning_rate=1e-2", "seed=2"]),
    aRun(["learning_rate=3e-3", "seed=1"], "math-sweep", "the good one"),
    { name: "math", file: {}, label: null },
    { name: "foreign", file: null, label: null },
  ];
  expect(shownNames(runs)).toEqual([
    "lr 1e-2 · seed 1",
    "lr 1e-2 · seed 2",
    "the good one",
    "math",
    "foreign",
  ]);
});

it("runs with equal settings are distinguished by their sweeps' names, or by their own", () => {
  const [a, b] = [aRun(["seed=1"]), aRun(["seed=1"], "code-sweep")];
  expect(shownNames([a, b])).toEqual(["math-sweep: seed 1", "code-sweep: seed 1"]);
  const again = { ...aRun(["seed=1"]), name: "math-sweep.seed_1.2" };
  expect(shownNames([a, again])).toEqual(["math-sweep.seed=1", "math-sweep.seed_1.2"]);
});

it("a key is shown by its last part, or in full if another key ends the same way", () => {
  expect(settingsName(['environments."local/calculator".num_rollouts=8'])).toBe("num_rollouts 8");
  expect(settingsName(['evaluation.splits."Owner/Game.v2"=[test]'])).toBe("Owner/Game.v2 [test]");
  expect(settingsName(['environments."a".weight=1', 'environments."b".weight=2'])).toBe(
    "environments.a.weight 1 · environments.b.weight 2",
  );
  expect(settingsName(["system_prompt="])).toBe('system_prompt ""');
  expect(settingsName([])).toBeNull();
});

it("varied settings have dotted keys of the resolved configuration, and values as given", () => {
  const { file } = aRun(['environments."local/calculator".weight=1', "learning_rate=4e-3"]);
  expect(variedSettings(file)).toEqual({
    "environments.local/calculator.weight": "1",
    learning_rate: "4e-3",
  });
  expect(variedSettings(null)).toEqual({});
});
