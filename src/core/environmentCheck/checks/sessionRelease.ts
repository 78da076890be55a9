/** A session that was closed no longer exists. */

import { settledSessions } from "../probe/crowd.ts";
import { type EnvironmentCheck, found, notMade } from "../probe/finding.ts";

const SESSIONS = 16;
/** The environment may clean up after it has answered. */
const GRACE_MS = 2_000;

export const sessionRelease: EnvironmentCheck = {
  id: "session-release",
  rule: "A session that was closed is freed and refuses requests.",
  async run(probe) {
    const [task] = await probe.playedTasks(1);
    if (task === undefined) return notMade("there is no task");
    const { sessions } = await settledSessions(probe, [task], SESSIONS);
    const ids = sessions.map(({ id }) => id);
    await Promise.all(sessions.map((session) => session.close()));
    const held = async (): Promise<readonly string[]> => {
      const answers = await Promise.all(
        ids.map((id) => probe.remote.holdsSession(id, { signal: probe.signal })),
      );
      return ids.filter((_, index) => answers[index]);
    };
    let left = await held();
    if (left.length > 0) {
      await probe.options.clock.sleep(GRACE_MS, probe.signal);
      left = await held();
    }
    return found(
      `${ids.length} sessions closed`,
      left.length === 0
        ? null
        : {
            severity: "defect",
            message: `${left.length} of ${ids.length} sessions still exist after they were deleted.`,
            evidence: { numbers: `session ${left[0]} still answers pings` },
            advice: "Free the session in /delete and /delete_session: a run opens thousands.",
          },
    );
  },
};
