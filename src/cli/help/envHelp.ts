/** The help of the commands about environments of the user's own. */

import type { HelpText } from "./helpText.ts";

export const ENV: HelpText = (program) => `Works with environments of your own.

  ${program} env new NAME [FLAGS]

Writes environments/NAME next to the configuration: a server in Python, its
tasks, its tests and a README; adds it to the configuration, or writes one.
NAME has lowercase letters, digits, _ and -. No file is overwritten.

  --template T             question (default): one question, one answer
                           tools: lookups before an answer
                           state: several turns, partial rewards
                           code: a Python function, graded by hidden tests
                           judge: a rubric, graded by a model
  --config_path FILE, -c   the configuration; by default tinker-config.yaml in
                           the working directory
  --venv, --no-venv        make a virtual environment with uv or Python's venv,
                           and install the packages, or do not; by default a
                           terminal asks

Example:

  ${program} env new letters --template tools --venv`;
