/** The name this program reports to services. */

import { version } from "../../package.json";

export const PROGRAM_NAME = "tinker-rl";
export const VERSION = version;
/** For HTTP's `User-Agent` header, and as the producer recorded in files. */
export const USER_AGENT = `${PROGRAM_NAME}/${VERSION}`;
