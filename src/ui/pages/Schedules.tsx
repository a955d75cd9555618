import { Alert, Button, EmptyState, EmptyStateBody, Label, PageSection, Title } from "@patternfly/react-core";
import { useState } from "react";
import type { About, BoardSchedule } from "../../observe/index.ts";
import { formatDuration } from "../../progress/index.ts";
import { age } from "../board-words.ts";
import { go } from "../navigate.ts";
import { Moment } from "../parts/Moment.tsx";
import { writeRoute } from "../route.ts";
import { server } from "../server.ts";
import { useNow } from "../state.ts";
import { useAsked } from "../use-asked.ts";
import { useClusters } from "../use-clusters.ts";
import { shortTime } from "../words.ts";

const askEveryMs = 10_000;
/** So many next runs are shown. */
const mostRuns = 5;

/** The schedules: what they did, what they will do, and whether they may. */
export function Schedules({ about }: { readonly about: About }) {
  const clusters = useClusters(about);
  return (
    <PageSection isFilled aria-label="Schedules">
      <Title headingLevel="h1">Schedules</Title>
      {clusters.map((cluster) => (
        <OfCluster key={cluster} cluster={cluster} writes={about.writes} />
      ))}
    </PageSection>
  );
}

function OfCluster({ cluster, writes }: { readonly cluster: string; readonly writes: boolean }) {
  const [changes, setChanges] = useState(0);
  const [failure, setFailure] = useState<string>();
  const key = `schedules ${cluster} ${changes}`;
  const { value: board, error } = useAsked(key, (signal) => server.board(cluster, signal), askEveryMs);
  const act = async (what: "pause" | "unpause" | "run", { namespace, name }: BoardSchedule) => {
    try {
      const made = await server.schedule(what, namespace, name, cluster);
      setFailure(undefined);
      setChanges((count) => count + 1);
      if (what === "run" && made.name !== undefined)
        go(writeRoute({ page: "operation", kind: "backup", namespace, name: made.name, cluster }));
    } catch (reason) {
      setFailure(reason instanceof Error ? reason.message : String(reason));
    }
  };
  const trouble = failure ?? error;
  return (
    <>
      {cluster !== "" && <Title headingLevel="h2">{cluster}</Title>}
      {trouble !== undefined && <Alert isInline variant="danger" component="h2" title={trouble} />}
      {board?.unread.includes("schedules") && <p className="hw-subtle">You may not list schedules.</p>}
      {board && board.schedules.length === 0 && !board.unread.includes("schedules") && <None />}
      {board && board.schedules.length > 0 && (
        <table className="hw-board" aria-label="Schedules">
          <thead>
            <tr>
              {["Schedule", "State", "Next runs", "Last run", "Usually takes"].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
              {writes && (
                <th scope="col">
                  <span className="pf-v6-screen-reader">Action</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {board.schedules.map((schedule) => (
              <Row
                key={`${schedule.namespace}/${schedule.name}`}
                schedule={schedule}
                cluster={cluster}
                {...(writes && { onAct: (what) => void act(what, schedule) })}
              />
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

interface RowProps {
  readonly schedule: BoardSchedule;
  readonly cluster: string;
  readonly onAct?: (what: "pause" | "unpause" | "run") => void;
}

function Row({ schedule, cluster, onAct }: RowProps) {
  const now = useNow();
  const { name, namespace, isPaused, refused, upcoming, usualMs, last } = schedule;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <Label isCompact color={refused !== undefined ? "red" : isPaused ? "grey" : "green"}>
          {refused !== undefined ? "Refused" : isPaused ? "Paused" : "Active"}
        </Label>
        {refused !== undefined && <div className="hw-bad">{refused}</div>}
      </td>
      <td>
        {upcoming.length === 0
          ? "none"
          : upcoming
              .slice(0, mostRuns)
              .map((at) => shortTime(at, now))
              .join(", ")}
      </td>
      <td>
        {last ? (
          <>
            <a href={writeRoute({ page: "operation", kind: "backup", namespace, name: last.name, cluster })}>
              {last.phase}, {age(last.at, now)} ago
            </a>{" "}
            <span className="hw-subtle">
              <Moment at={last.at} />
            </span>
          </>
        ) : (
          "none"
        )}
      </td>
      <td>{usualMs === undefined ? "" : formatDuration(usualMs / 1000)}</td>
      {onAct && (
        <td className="hw-board__act">
          <Button variant="link" isInline aria-label={`Run now: ${name}`} onClick={() => onAct("run")}>
            Run now
          </Button>{" "}
          <Button
            variant="link"
            isInline
            aria-label={`${isPaused ? "Resume" : "Pause"} ${name}`}
            onClick={() => onAct(isPaused ? "unpause" : "pause")}
          >
            {isPaused ? "Resume" : "Pause"}
          </Button>
        </td>
      )}
    </tr>
  );
}

function None() {
  return (
    <EmptyState titleText="There is no schedule" headingLevel="h2">
      <EmptyStateBody>
        <code>headway schedule create NAME --schedule "0 3 * * *" --include-namespaces NAMESPACE</code> makes
        a backup every night at three.
      </EmptyStateBody>
    </EmptyState>
  );
}
