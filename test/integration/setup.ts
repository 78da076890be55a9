/** Setup that runs before each file of these tests. */

import { afterAll } from "vitest";
import { removeRunFolders } from "./localRun.ts";

afterAll(removeRunFolders);
