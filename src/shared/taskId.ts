/** Identifies a task across passes through the data: `environment:split:index`. */
export function taskId({
  environment,
  split,
  index,
}: {
  readonly environment: string;
  readonly split: string;
  readonly index: number;
}): string {
  return `${environment}:${split}:${index}`;
}
