/** Graders by their configuration names. */

import type { GraderConfig } from "../../../../core/config/fields/schema.ts";
import { choiceGrader } from "./choice.ts";
import { containsGrader } from "./contains.ts";
import { exactGrader } from "./exact.ts";
import type { Grader } from "./grader.ts";
import { jsonGrader } from "./json.ts";
import { numberGrader } from "./number.ts";
import { regexGrader } from "./regex.ts";

/** Creates the configured grader. */
export function createGrader(config: GraderConfig): Grader {
  const tolerance = { relative: config.tolerance, absolute: config.absolute_tolerance };
  switch (config.type) {
    case "exact":
      return exactGrader(config.case_sensitive);
    case "number":
      return numberGrader(tolerance);
    case "choice":
      return choiceGrader(config.case_sensitive);
    case "regex":
      return regexGrader(config.case_sensitive);
    case "json":
      return jsonGrader(tolerance);
    case "contains":
      return containsGrader(config.case_sensitive);
  }
}
