/** Key of the pending demo request while the window opens a folder. */

export const PENDING_DEMO = "pendingDemo";
