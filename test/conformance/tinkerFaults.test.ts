/** The wire's tables of faults on real connections; `core/tinker/faults.test.ts` plays them without. */

import { overConnections } from "./faultServer.ts";
import { testFaults } from "./tinkerFaultTests.ts";

testFaults(overConnections);
