/** How much a dry run plays. */

/** Tasks, where nobody says how many. */
export const DRY_RUN_GROUPS = 2;
