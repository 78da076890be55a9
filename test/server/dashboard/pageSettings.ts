import type { DashboardSettings } from "../../../src/shared/dashboardTypes.ts";

/** What a user sets for pages, as it is at first. */
export const PAGE_SETTINGS: DashboardSettings = {
  smoothing: 0.6,
  hasSingleKeys: true,
  hasLiveRegion: true,
  pinnedMetrics: [],
  hiddenCharts: [],
  savedFilters: [],
  isDemoCardClosed: false,
};

/** The same for a page of which nothing is kept. */
export const KEPT_NOWHERE = {
  current: () => PAGE_SETTINGS,
  keep: async () => undefined,
};
