/** Dashboard settings before anyone changes them. */

export const DASHBOARD_DEFAULTS = { smoothing: 0.6, hasSingleKeys: true, hasLiveRegion: true };
