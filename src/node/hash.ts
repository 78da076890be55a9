/** The Sha256 port. */

import { createHash } from "node:crypto";
import type { Sha256 } from "../core/ports.ts";

export const sha256: Sha256 = (data) => createHash("sha256").update(data).digest("hex");
