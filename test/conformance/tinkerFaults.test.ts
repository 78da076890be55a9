/** The wire tables of faults on real connections; `core/tinker/faults.test.ts` plays them in the process. */

import { overConnections } from "./faultServer.ts";
import { testFaults } from "./tinkerFaultTests.ts";

testFaults(overConnections);
