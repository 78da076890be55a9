/** The names of our context keys, `tinkerRL.<name>` in when clauses. */

/** What they are before anything set them. */
export const CONTEXT_KEYS = {
  /** True once the window has looked for configurations and runs: before, it does not know that there are none. */
  searched: false,
  /** Paths of the open or known configuration files, for `resourcePath in`. */
  configFiles: [] as readonly string[],
  /** True when the workspace has a configuration. */
  hasConfig: false,
  hasRuns: false,
  /** How many runs are alive: preparing, running or paused. */
  running: 0,
  /** True while one of them is not paused, and while one is or will be after its step. */
  hasPausable: false,
  hasPaused: false,
  /** True while a run can be resumed, has an alarm, is archived, or has a last state that expires. */
  hasResumable: false,
  hasAlarms: false,
  hasArchived: false,
  hasExpiring: false,
  /** True while a run has usable checkpoints, and while one with checkpoints at Tinker has. */
  hasCheckpoints: false,
  hasHosted: false,
  trajectoryFilter: false,
  followLatest: false,
  /** True while the list of runs holds archived ones, too. */
  archivedShown: false,
  /** True once it was done in this window: what completes the steps of the walkthrough. */
  trainingStarted: false,
  dashboardOpened: false,
  trajectoryOpened: false,
  configCreated: false,
  keyStored: false,
  runResumed: false,
  /** Commands of the dashboard that its page has no room for, with spaces between. */
  titleActions: "",
};

export type ContextKeys = typeof CONTEXT_KEYS;
