import { Title } from "@patternfly/react-core";
import type { BoardSchedule } from "../../observe/index.ts";
import { formatDuration } from "../../progress/index.ts";
import { plannedRuns } from "../board-words.ts";
import { clockTime } from "../words.ts";

interface NextDayProps {
  readonly schedules: readonly BoardSchedule[];
  readonly nowMs: number;
}

const hourMs = 3_600_000;
/** A run that takes minutes must be seen in a day, too. */
const leastWidth = 0.6;

/** When each schedule runs in the next 24 hours, and for how long as a rule. */
export function NextDay({ schedules, nowMs }: NextDayProps) {
  return (
    <>
      <Title headingLevel="h2" size="lg">
        The next 24 hours
      </Title>
      {schedules.length === 0 ? (
        <p className="hw-subtle">
          There is no schedule: <code>headway schedule create NAME --schedule "0 3 * * *"</code>
        </p>
      ) : (
        <div className="hw-day">
          <Hours nowMs={nowMs} />
          {schedules.map((schedule) => (
            <Lane key={`${schedule.namespace}/${schedule.name}`} schedule={schedule} nowMs={nowMs} />
          ))}
        </div>
      )}
    </>
  );
}

/** Every sixth hour of the clock has its mark. */
function Hours({ nowMs }: { readonly nowMs: number }) {
  const first = Math.ceil(nowMs / hourMs) * hourMs;
  const marks = Array.from({ length: 24 }, (_, i) => first + i * hourMs).filter(
    (at) => new Date(at).getHours() % 6 === 0,
  );
  return (
    <div className="hw-day__lane" aria-hidden="true">
      <span />
      <div className="hw-day__hours hw-subtle">
        {marks.map((at) => (
          <span key={at} style={{ insetInlineStart: `${((at - nowMs) / hourMs / 24) * 100}%` }}>
            {clockTime(at)}
          </span>
        ))}
      </div>
    </div>
  );
}

function Lane({ schedule, nowMs }: { readonly schedule: BoardSchedule; readonly nowMs: number }) {
  const runs = plannedRuns(schedule, nowMs);
  return (
    <div className="hw-day__lane">
      <strong>{schedule.name}</strong>
      <svg
        className="hw-day__runs"
        viewBox="0 0 100 10"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${schedule.name}: ${laneWords(schedule, nowMs)}`}
      >
        {runs.map(({ at, from, to }) => (
          <rect key={at} x={from * 100} y={1} height={8} width={Math.max(leastWidth, (to - from) * 100)} />
        ))}
      </svg>
      <span className="hw-subtle">{laneWords(schedule, nowMs)}</span>
    </div>
  );
}

function laneWords(schedule: BoardSchedule, nowMs: number): string {
  if (schedule.refused !== undefined) return "refused";
  if (schedule.isPaused) return "paused";
  const [next] = plannedRuns(schedule, nowMs);
  if (!next) return "not in the next 24 hours";
  const usual = schedule.usualMs === undefined ? "" : `, usually ${formatDuration(schedule.usualMs / 1000)}`;
  return `next at ${clockTime(next.at)}${usual}`;
}
