/** Names a task of an environment, whichever pass through the data it is played in: `environment:split:index`. */
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
