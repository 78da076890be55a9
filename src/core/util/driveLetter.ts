/** `path` with a lower-case drive letter; on Windows, editors and terminals differ in its case. */
export function withSmallDrive(path: string): string {
  return path.replace(/^[A-Z]:/, (drive) => drive.toLowerCase());
}
