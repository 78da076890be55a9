import type { DashboardSettings } from "../../../src/shared/dashboardTypes.ts";

/** The default page settings. */
export const PAGE_SETTINGS: DashboardSettings = {
  smoothing: 0.6,
  hasSingleKeys: true,
  hasLiveRegion: true,
  pinnedMetrics: [],
  hiddenCharts: [],
  savedFilters: [],
  isDemoCardClosed: false,
};

/** The same for a page without stored state. */
export const KEPT_NOWHERE = {
  current: () => PAGE_SETTINGS,
  keep: async () => undefined,
};
