/** The exit code of {@link ./keepCommand.ts} for a command that the system cannot start; no shell uses it. */
export const NOT_STARTED = 253;
