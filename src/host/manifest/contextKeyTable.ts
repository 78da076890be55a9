/** The names of our context keys, `tinkerRL.<name>` in when clauses. */

export interface ContextKeys {
  /** True once the window has looked for configurations and runs: before, it does not know that there are none. */
  readonly searched: boolean;
  /** Paths of the open or known configuration files, for `resourcePath in`. */
  readonly configFiles: readonly string[];
  /** True when the workspace has a configuration. */
  readonly hasConfig: boolean;
  readonly hasRuns: boolean;
  /** How many runs are alive: preparing, running or paused. */
  readonly running: number;
  /** True while one of them is not paused, and while one is or will be after its step. */
  readonly hasPausable: boolean;
  readonly hasPaused: boolean;
  /** True while a run can be resumed, has an alarm, is archived, or has a last state that expires. */
  readonly hasResumable: boolean;
  readonly hasAlarms: boolean;
  readonly hasArchived: boolean;
  readonly hasExpiring: boolean;
  /** True while a run has usable checkpoints, and while one with checkpoints at Tinker has. */
  readonly hasCheckpoints: boolean;
  readonly hasHosted: boolean;
  readonly trajectoryFilter: boolean;
  readonly followLatest: boolean;
  /** True while the list of runs holds archived ones, too. */
  readonly archivedShown: boolean;
  /** True once it was done in this window: what completes the steps of the walkthrough. */
  readonly trainingStarted: boolean;
  readonly dashboardOpened: boolean;
  readonly trajectoryOpened: boolean;
  readonly configCreated: boolean;
  readonly keyStored: boolean;
  readonly runResumed: boolean;
  /** Commands of the dashboard that its page has no room for, with spaces between. */
  readonly titleActions: string;
}

/** All keys, for the check that when clauses ask for nothing else. */
export const CONTEXT_KEYS: Readonly<Record<keyof ContextKeys, true>> = {
  searched: true,
  configFiles: true,
  hasConfig: true,
  hasRuns: true,
  running: true,
  hasPausable: true,
  hasPaused: true,
  hasResumable: true,
  hasAlarms: true,
  hasArchived: true,
  hasExpiring: true,
  hasCheckpoints: true,
  hasHosted: true,
  trajectoryFilter: true,
  followLatest: true,
  archivedShown: true,
  trainingStarted: true,
  dashboardOpened: true,
  trajectoryOpened: true,
  configCreated: true,
  keyStored: true,
  runResumed: true,
  titleActions: true,
};
