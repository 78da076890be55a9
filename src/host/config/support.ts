/** The heavy part of the help for configurations, loaded when the first of them is opened. */

import { complete } from "../../core/config/editing/complete.ts";
import { diagnose } from "../../core/config/editing/diagnose.ts";
import { effectiveConfig } from "../../core/config/editing/effective.ts";
import { fixAll, fixesAt } from "../../core/config/editing/fixes.ts";
import { hover } from "../../core/config/editing/hover.ts";
import { insertEnvironment } from "../../core/config/editing/insertEnvironment.ts";
import { lenses } from "../../core/config/editing/lenses.ts";
import { links } from "../../core/config/editing/links.ts";
import { namesWanted } from "../../core/config/editing/namesWanted.ts";
import { secretAt } from "../../core/config/editing/secretAt.ts";

export const support = {
  complete,
  diagnose,
  effectiveConfig,
  fixAll,
  fixesAt,
  hover,
  insertEnvironment,
  lenses,
  links,
  namesWanted,
  secretAt,
};
