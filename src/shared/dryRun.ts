/** The size of a dry run. */

/** Number of tasks to play unless specified. */
export const DRY_RUN_GROUPS = 2;
