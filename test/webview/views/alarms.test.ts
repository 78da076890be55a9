// @vitest-environment happy-dom

import { h } from "preact";
import { expect, it } from "vitest";
import type { RunView } from "../../../src/shared/dashboardTypes.ts";
import { Summary } from "../../../webview-ui/views/alarms.tsx";
import { aDashboard } from "../dashboards.ts";
import { drawn } from "../drawn.ts";

const RUN = { id: "run", attempt: 1, evaluatedModels: null, problem: null, alarms: [] } as const;

function summaryOf(run: Partial<RunView>, hasButtons = true): HTMLElement {
  const { dashboard, know } = aDashboard(() => hasButtons);
  know({ ...RUN, ending: null, ...run });
  return drawn(h(Summary, { dashboard, hasSentence: false })).place;
}

it("a run that ended because nothing could be trained on shows a warning, one that a user stopped does not", () => {
  const severityOf = (code: string) =>
    summaryOf({ state: "stopped", ending: { code, message: "It ended." } })
      .querySelector(".summary")
      ?.getAttribute("data-severity");
  expect(severityOf("empty-steps")).toBe("warning");
  expect(severityOf("stopped")).toBe("info");
});

it("an interrupted run names the button that resumes it, or in a browser the command", () => {
  const textOf = (isResumable: boolean, hasButtons: boolean) =>
    summaryOf({ state: "interrupted", isResumable }, hasButtons).textContent;
  expect(textOf(true, true)).toContain("Resume continues from the newest saved state.");
  expect(textOf(true, false)).toContain("tinker-rl resume FOLDER continues from the newest");
  expect(textOf(false, false)).toContain("no state was saved to resume from.");
});

it.each([
  ["running", "Too early to tell", "false"],
  ["failed", undefined, "true"],
  ["interrupted", undefined, "true"],
] as const)("a run that is %s has “%s” as its sentence", (state, sentence, isReasonFirst) => {
  const { dashboard, know } = aDashboard();
  const ending = state === "failed" ? { code: "empty-steps", message: "Nothing." } : null;
  know({ ...RUN, ending, state, sentence: null });
  const { place } = drawn(h(Summary, { dashboard, hasSentence: true }));
  expect(place.querySelector(".sentence")?.textContent).toBe(sentence);
  const summary = place.querySelector(".summary");
  expect(summary?.getAttribute("data-reason-first")).toBe(isReasonFirst);
});
