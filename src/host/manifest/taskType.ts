/** The type of our tasks in `tasks.json`. */

export const TASK_TYPE = "tinker-rl";
