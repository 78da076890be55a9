/** As in the program: everything that a run waits for listens to the signal that ends it, which is not a leak. */

import { setMaxListeners } from "node:events";

setMaxListeners(0);
