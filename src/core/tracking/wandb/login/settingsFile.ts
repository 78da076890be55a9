/** The settings that `wandb login` and `wandb init` leave on a machine: `docs/protocols/wandb.md#login`. */

export interface WandbSettings {
  /** Address of the server; null = the hosted service. */
  readonly baseUrl: string | null;
  /** Account or team; null = that of the key. */
  readonly entity: string | null;
}

export const NO_SETTINGS: WandbSettings = { baseUrl: null, entity: null };

/** Reads the section `[default]`; other sections and keys count for nothing. */
export function parseWandbSettings(text: string): WandbSettings {
  const found = new Map<string, string>();
  let section = "";
  for (const line of text.split(/\r?\n/)) {
    section = /^\s*\[([^\]]*)\]/.exec(line)?.[1] ?? section;
    const [, name, value] = /^\s*(\w+)\s*[=:](.*)$/.exec(line) ?? [];
    if (section !== "default" || name === undefined || value === undefined) continue;
    if (value.trim() !== "") found.set(name.toLowerCase(), value.trim());
  }
  return { baseUrl: found.get("base_url") ?? null, entity: found.get("entity") ?? null };
}
