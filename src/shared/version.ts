/** What this program calls itself to services. */

import { version } from "../../package.json";

export const PROGRAM_NAME = "tinker-rl";
export const VERSION = version;
/** For HTTP's `User-Agent`, and as the producer of files. */
export const USER_AGENT = `${PROGRAM_NAME}/${VERSION}`;
