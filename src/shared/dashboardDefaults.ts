/** How a dashboard is where nobody has changed its settings. */

export const DASHBOARD_DEFAULTS = { smoothing: 0.6, hasSingleKeys: true, hasLiveRegion: true };
