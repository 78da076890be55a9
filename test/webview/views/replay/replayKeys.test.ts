// @vitest-environment happy-dom

import { expect, it } from "vitest";
import type { RolloutRow } from "../../../../src/shared/dashboardTypes.ts";
import { NO_MARK } from "../../../../src/shared/marks.ts";
import { replayKey } from "../../../../webview-ui/views/replay/replayKeys.ts";
import { aDashboard } from "../../dashboards.ts";

/** Whether the replay of the group's first rollout uses each key; `html` is what it shows after the focused button. */
function used(html: string, ...keys: readonly string[]): readonly boolean[] {
  const region = document.createElement("div");
  document.body.replaceChildren(region);
  region.innerHTML = `<button>Copy</button>${html}`;
  region.querySelector("button")?.focus();
  const own = [0, 1].map((rollout) => ({ group: 0, rollout })) as RolloutRow[]; // only the members it reads
  const rolloutKey = { source: "training", step: 0, group: 0, rollout: 0 } as const;
  const target = { dashboard: aDashboard().dashboard, region, own, rolloutKey, mark: NO_MARK };
  let prefix = "";
  return keys.map((key) => {
    const event = new KeyboardEvent("keydown", { key, cancelable: true });
    prefix = replayKey(event, prefix, target);
    return event.defaultPrevented;
  });
}

it("a jump to something that the rollout does not have leaves the key to the page", () => {
  const withCall = `<p data-call tabindex="-1">add(1, 2)</p>`;
  expect(used(withCall, "g", "e")).toEqual([false, false]);
  expect(used(withCall, "g", "t")).toEqual([false, true]);
  expect(used(withCall, "ArrowRight")).toEqual([false]);
});

it("the first rollout of a group has a next one, but none before it", () => {
  expect(used("", "[", "]")).toEqual([false, true]);
});
