/** What the attempts of a run noted of something in its events. */

import type { z } from "zod";
import { readEvents } from "../core/runFolder/events.ts";
import type { RunStorage } from "../core/training/run/context.ts";

/** The data of the events of a kind, in order; those of another form are left out. */
export async function dataOfEvents<Schema extends z.ZodType>(
  { fileSystem, folder }: Pick<RunStorage, "fileSystem" | "folder">,
  wanted: string,
  schema: Schema,
): Promise<readonly z.infer<Schema>[]> {
  const found: z.infer<Schema>[] = [];
  for await (const { kind, data } of readEvents(fileSystem, folder)) {
    const parsed = kind === wanted ? schema.safeParse(data) : null;
    if (parsed?.success === true) found.push(parsed.data);
  }
  return found;
}
