/** The names of our context keys, `tinkerRL.<name>` in when clauses. */

/** Initial values. */
export const CONTEXT_KEYS = {
  /** True once the window has looked for configurations and runs; before that, an empty result means nothing. */
  searched: false,
  /** Paths of the open or known configuration files, for `resourcePath in`. */
  configFiles: [] as readonly string[],
  /** True when the workspace has a configuration. */
  hasConfig: false,
  hasRuns: false,
  /** Number of live runs: preparing, running or paused. */
  running: 0,
  /** True while a live run is not paused (`hasPausable`), or is paused or about to be (`hasPaused`). */
  hasPausable: false,
  hasPaused: false,
  /** True while a run can be resumed, has an alarm, is archived, or has a last state that expires. */
  hasResumable: false,
  hasAlarms: false,
  hasArchived: false,
  hasExpiring: false,
  /** True while a run has usable checkpoints (`hasCheckpoints`), and while a run has some at Tinker (`hasHosted`). */
  hasCheckpoints: false,
  hasHosted: false,
  trajectoryFilter: false,
  followLatest: false,
  /** True while the list of runs includes archived ones. */
  archivedShown: false,
  /** True once done in this window; completes the steps of the walkthrough. */
  trainingStarted: false,
  dashboardOpened: false,
  trajectoryOpened: false,
  configCreated: false,
  keyStored: false,
  runResumed: false,
  /** Dashboard commands that its page has no room for, separated by spaces. */
  titleActions: "",
};

export type ContextKeys = typeof CONTEXT_KEYS;
