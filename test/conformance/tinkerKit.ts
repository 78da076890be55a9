/** The Tinker conformance kit, which is not part of the repository: a driver, a recorder and recordings. */

import { inject } from "vitest";
import { kitFolder } from "./kits.ts";

/** Its folder; empty = not available. */
export const TINKER_KIT = kitFolder(
  "TINKER_RL_TINKER_KIT",
  "conformance/tinker",
  "a driver, a recorder and recordings of the official Tinker client",
);

/** Path of a Python for the kit; null = something is missing, which was reported, and the checks are skipped. */
export const tinkerKitPython = TINKER_KIT === "" ? null : inject("python");
