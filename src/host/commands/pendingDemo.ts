/** Where the request for the local demo waits while the window opens a folder. */

export const PENDING_DEMO = "pendingDemo";
