/** How much a dry run plays. */

/** Tasks, where no one says how many. */
export const DRY_RUN_GROUPS = 2;
