// @vitest-environment happy-dom

import { h } from "preact";
import { expect, it } from "vitest";
import type { CheckpointView } from "../../../src/shared/dashboardTypes.ts";
import { Checkpoints } from "../../../webview-ui/views/checkpoints.tsx";
import { aDashboard } from "../dashboards.ts";
import { drawn } from "../drawn.ts";

const HOUR_MS = 3_600_000;

function aSave(name: string, hoursLeft: number | null, kind = "periodic"): CheckpointView {
  return {
    name,
    step: 1,
    kind,
    best: null,
    statePath: "tinker://state",
    samplerPath: null,
    expiresAt: hoursLeft === null ? null : new Date(Date.now() + hoursLeft * HOUR_MS).toISOString(),
    createdAt: new Date().toISOString(),
    reward: null,
  };
}

function listed(...checkpoints: readonly CheckpointView[]): HTMLElement {
  const { dashboard, know } = aDashboard();
  know({ id: "run", attempt: 1 }, { checkpoints });
  return drawn(h(Checkpoints, { dashboard })).place;
}

function banner(...checkpoints: readonly CheckpointView[]): string | undefined {
  return listed(...checkpoints).querySelector(".banner")?.textContent;
}

it("warns about the save that expires first, and the number of others that expire within a day", () => {
  const saves = [aSave("late", 20.01), aSave("first", 2.01), aSave("rolling", 1, "rolling")];
  expect(banner(...saves, aSave("kept", null), aSave("next week", 170), aSave("gone", -1))).toMatch(
    /^first expires in 2 hours, and 1 more within a day\. To keep them, /,
  );
});

it("warns about a single save, and about none", () => {
  expect(banner(aSave("only", 2.01))).toMatch(/^only expires in 2 hours\. To keep it, /);
  expect(banner(aSave("kept", null))).toBeUndefined();
});

it("shows “just now” when the clock of the service is ahead", () => {
  const createdAt = new Date(Date.now() + HOUR_MS).toISOString();
  const place = listed({ ...aSave("early", null), createdAt });
  expect(place.querySelector(`[title="${createdAt}"]`)?.textContent).toBe("just now");
});
