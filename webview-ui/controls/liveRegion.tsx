/** The one place from which screen readers are told of news: politely, and seldom. */

import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { formatReward } from "../../src/shared/format.ts";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { strings } from "../strings/strings.ts";

const PAUSE_MS = 5_000;

/** News of the run are spoken every 5 seconds at most; what the user asked for comes through `panel.spoken` at once. */
export function LiveRegion({ dashboard }: { readonly dashboard: DashboardModel }) {
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let spokenAt = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const say = (text: string): void => {
      spokenAt = performance.now();
      if (region.current !== null) region.current.textContent = text;
    };
    let before = newsOf(dashboard);
    const stopNews = effect(() => {
      const news = newsOf(dashboard);
      if (news === before || !dashboard.settings.value.hasLiveRegion) return;
      before = news;
      clearTimeout(timer);
      const wait = Math.max(0, spokenAt + PAUSE_MS - performance.now());
      timer = setTimeout(() => say(news), wait);
    });
    const stopAsked = effect(() => {
      if (dashboard.spoken.value !== "") say(dashboard.spoken.value);
    });
    return () => {
      clearTimeout(timer);
      stopNews();
      stopAsked();
    };
  }, [dashboard]);
  return <div class="spoken" role="status" aria-live="polite" ref={region} />;
}

function newsOf({ run, columns, columnsVersion }: DashboardModel): string {
  const known = run.value;
  if (known === null || columnsVersion.value < 2) return "";
  // Facts come before numbers: what is said of a step has to come from its own row.
  const last = columns.rows - 1;
  const reward = columns.at("rollout/reward/mean", last);
  const state = known.state === "running" ? "" : strings.spoken.state(strings.states[known.state]);
  const step =
    columns.rows === 0
      ? ""
      : strings.spoken.step((columns.steps()[last] ?? 0) + 1, formatReward(reward));
  return [step, state].filter((text) => text !== "").join(" ");
}
