/** The names of our tasks. */

/** The type in `tasks.json`. */
export const TASK_TYPE = "tinker-rl";

/** What VS Code shows before a task's name. */
export const TASK_SOURCE = "Tinker RL";
