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
