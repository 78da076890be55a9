/** The help of the commands for environments of one's own. */

import type { HelpText } from "./helpText.ts";

export const ENV: HelpText = (program) => `Checks whether environments are fit to train on.

  ${program} env check [NAME …] [FLAGS]

  NAME                     as in a configuration: local/calculator, Owner/Name,
                           or the name at your own server; by default all of
                           the configuration, or of the server
  -c, --config_path FILE   take names, address and secrets from a configuration
  --url URL                the server, such as http://127.0.0.1:8080
  --split SPLIT            the split to play; by default the one to train on
  --tasks N                prompts to read per split, 32 by default
  --seed N                 seed of the random calls, 0 by default
  --json                   print one JSON value, and progress on stderr
  --overrides KEY=VALUE …  settings that override the file; also as --KEY VALUE
  --allow-host HOST        allow keys for https://HOST, which only a .env file
                           names; http://HOST: unencrypted

Examples:

  ${program} env check local/calculator
  ${program} env check --url http://127.0.0.1:8080
  ${program} env check -c tinker-config.yaml --json > report.json

Plays each environment without a model: valid, random, malformed and repeated
calls, answers without content, and up to 64 sessions at once. A check takes at
most 15 minutes, and starts several hundred sessions: a hosted environment may
bill them.

A defect makes rewards or tasks wrong. A warning may be intended and says what
it costs. A check that the environment gives nothing for is listed as not made.
The exit code is 0 without a defect and 2 with one.`;
