/** `path` with a small drive letter: editors and terminals write it differently on Windows. */
export function withSmallDrive(path: string): string {
  return path.replace(/^[A-Z]:/, (drive) => drive.toLowerCase());
}
