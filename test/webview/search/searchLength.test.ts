// @vitest-environment happy-dom

import { type ComponentChild, h } from "preact";
import { expect, it } from "vitest";
import { parsePageMessage } from "../../../src/server/dashboard/pageMessages.ts";
import type { DashboardQuestion } from "../../../src/shared/dashboardMessages.ts";
import { NO_MARK } from "../../../src/shared/marks.ts";
import type { DashboardModel } from "../../../webview-ui/model/dashboardModel.ts";
import { SearchTab } from "../../../webview-ui/search/searchTab.tsx";
import { RolloutFilters } from "../../../webview-ui/views/rollouts/rolloutFilters.tsx";
import { Tasks } from "../../../webview-ui/views/tasks.tsx";
import { aDashboard } from "../dashboards.ts";
import { drawn } from "../drawn.ts";

const list = { rows: [], shown: 0, search: null, markOf: () => NO_MARK };
const counts = { open: 1, hard: 0, solved: 0 };
const tasks = { completed: 1, counts, matching: 0, page: 0, rows: [] };

const asSearch = (text: string): DashboardQuestion => {
  return { ask: "search", query: { text, isRegex: false, roles: [] }, scope: "run" };
};
const asTasks = (text: string): DashboardQuestion => {
  const sorted = { column: "step", isDescending: true, page: 0 } as const;
  return { ask: "tasks", query: { ...sorted, pool: null, text } };
};

it.each<
  readonly [
    string,
    (dashboard: DashboardModel) => ComponentChild,
    (text: string) => DashboardQuestion,
  ]
>([
  ["the search", (dashboard) => h(SearchTab, { dashboard }), asSearch],
  ["the list", (dashboard) => h(RolloutFilters, { dashboard, ...list }), asSearch],
  ["the tasks", (dashboard) => h(Tasks, { dashboard }), asTasks],
])("the field of %s takes no longer text than the session answers", (_, page, ask) => {
  const { dashboard, asked } = aDashboard();
  const { place } = drawn(page(dashboard));
  asked[0]?.answer({ kind: "tasks", id: 1, tasks });
  const length = place.querySelector<HTMLInputElement>("input[type=search]")?.maxLength ?? -1;
  expect(length).toBeGreaterThan(0);
  const question = ask("x".repeat(length));
  expect(parsePageMessage({ kind: "question", id: 1, question })).not.toBeNull();
});
