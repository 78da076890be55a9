/** Installs a VS Code server before the suites that need it (they also install it on demand). Run: `npm run test:editor:install newest`. */

import { ensureWorkbench } from "./install.ts";

const [edition] = process.argv.slice(2);
if (edition !== "newest" && edition !== "oldest") throw new Error("newest or oldest?");
ensureWorkbench(edition);
