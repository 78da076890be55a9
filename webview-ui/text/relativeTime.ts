/** A relative time in one unit. */

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** "3 minutes ago" or "in 1 day" in the given language; null for less than a minute. */
export function relativeTime(ms: number, language: string): string | null {
  // Rounded first, so that 59.6 minutes become an hour.
  const minutes = Math.round(ms / 60_000) * 60_000;
  const unit = UNITS.find(([, size]) => Math.abs(minutes) >= size);
  if (unit === undefined) return null;
  const [name, size] = unit;
  const format = new Intl.RelativeTimeFormat(language === "" ? "en" : language);
  return format.format(Math.trunc(minutes / size), name);
}
