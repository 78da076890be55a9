/** As the program does at its start: everything that a run waits for listens to the signal that ends the run. That is no leak. */

import { setMaxListeners } from "node:events";

setMaxListeners(0);
