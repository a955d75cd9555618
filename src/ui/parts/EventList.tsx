import { Label } from "@patternfly/react-core";
import type { EventLine } from "../../observe/index.ts";
import { Moment } from "./Moment.tsx";

/** What the cluster recorded about an operation and its parts, the newest first. */
export function EventList({ events }: { readonly events: readonly EventLine[] }) {
  if (events.length === 0)
    return <p className="hw-subtle">No events. Clusters forget them after an hour or so.</p>;
  return (
    <ul className="hw-events">
      {events.map((event) => (
        <li key={`${event.at} ${event.object} ${event.reason} ${event.message}`}>
          <span className="hw-subtle">
            <Moment at={event.at} />
          </span>
          <span>
            <Label
              isCompact
              variant="outline"
              {...(event.type === "Warning" && { status: "warning" as const })}
            >
              {event.reason}
            </Label>
          </span>
          <span>
            {event.message}
            <span className="hw-subtle">
              {" "}
              {event.object}
              {event.count > 1 ? `, ${event.count} times` : ""}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}
