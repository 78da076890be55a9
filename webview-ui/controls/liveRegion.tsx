/** The live region: announces the state of a run to screen readers, at most every few seconds. */

import { effect } from "@preact/signals";
import * as l10n from "@vscode/l10n";
import { useEffect, useRef } from "preact/hooks";
import { formatCount, formatReward } from "../../src/shared/format.ts";
import { decidingPointOf } from "../../src/shared/trendPoint.ts";
import type { DashboardModel, DashboardProps } from "../model/dashboardModel.ts";
import { strings } from "../strings/strings.ts";

const PAUSE_MS = 5_000;

/** Announces the run's state every 5 seconds at most, and replies to the user (`dashboard.announcement`) at once. */
export function LiveRegion({ dashboard }: DashboardProps) {
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let announcedAt = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const announce = (text: string): void => {
      announcedAt = performance.now();
      if (region.current !== null) region.current.textContent = text;
    };
    let before = statusText(dashboard);
    const stopStatus = effect(() => {
      const text = statusText(dashboard);
      if (text === before || !dashboard.settings.value.hasLiveRegion) return;
      before = text;
      clearTimeout(timer);
      const wait = Math.max(0, announcedAt + PAUSE_MS - performance.now());
      timer = setTimeout(() => announce(text), wait);
    });
    const stopAnnouncements = effect(() => {
      if (dashboard.announcement.value !== "") announce(dashboard.announcement.value);
    });
    return () => {
      clearTimeout(timer);
      stopStatus();
      stopAnnouncements();
    };
  }, [dashboard]);
  return <div class="visually-hidden" role="status" aria-live="polite" ref={region} />;
}

function statusText({ data: { run, columns, columnsVersion } }: DashboardModel): string {
  const known = run.value;
  if (known === null || columnsVersion.value < 2) return "";
  // Facts arrive before numbers, so the step comes from the last row that has numbers.
  const last = columns.rows - 1;
  const reward = decidingPointOf(last, (name) => columns.at(name, last))?.value ?? null;
  const state =
    known.state === "running" ? "" : l10n.t("The run is {0}.", strings.states[known.state]);
  const step =
    columns.rows === 0
      ? ""
      : l10n.t(
          "Step {0}, mean reward {1}.",
          formatCount((columns.steps()[last] ?? 0) + 1),
          formatReward(reward),
        );
  return [step, state].filter((text) => text !== "").join(" ");
}
