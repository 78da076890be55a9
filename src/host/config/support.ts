/** The heavy code of the help for configurations, loaded when the first of them is opened. */

import { namesToLoad } from "../../core/config/editing/catalogue/namesToLoad.ts";
import { complete } from "../../core/config/editing/completion/complete.ts";
import { taskConfigAt } from "../../core/config/editing/completion/taskConfigAt.ts";
import { diagnose } from "../../core/config/editing/diagnostics/diagnose.ts";
import { effectiveConfig } from "../../core/config/editing/display/effective.ts";
import { hover } from "../../core/config/editing/display/hover.ts";
import { inlayHints } from "../../core/config/editing/display/inlayHints.ts";
import { lenses } from "../../core/config/editing/display/lenses.ts";
import { links } from "../../core/config/editing/display/links.ts";
import { insertEnvironment } from "../../core/config/editing/edits/insertEnvironment.ts";
import { secretAt } from "../../core/config/editing/edits/secretAt.ts";
import { fixAll, fixesAt } from "../../core/config/editing/fixes/fixes.ts";

export const support = {
  complete,
  diagnose,
  effectiveConfig,
  fixAll,
  fixesAt,
  hover,
  inlayHints,
  insertEnvironment,
  lenses,
  links,
  namesToLoad,
  secretAt,
  taskConfigAt,
};
