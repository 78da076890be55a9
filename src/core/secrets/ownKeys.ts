/** The keys that the program itself shows to services. A mere look-up never hands one of them to an environment. */

export const OWN_KEYS: ReadonlySet<string> = new Set([
  "TINKER_API_KEY",
  "OPENREWARD_API_KEY",
  "ORS_API_KEY",
  "WANDB_API_KEY",
  "HF_TOKEN",
]);
