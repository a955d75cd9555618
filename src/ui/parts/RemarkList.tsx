import { Button, Title } from "@patternfly/react-core";
import { ExclamationCircleIcon } from "@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon";
import { ExclamationTriangleIcon } from "@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon";
import { useState } from "react";
import type { Remark } from "../../observe/index.ts";
import { counted } from "../../progress/index.ts";
import { type Place, server } from "../server.ts";
import { useAsked } from "../use-asked.ts";

/** Shown before somebody asks for all. */
const few = 5;

/** The errors and warnings of a backup or a restore in its own words, errors first. */
export function RemarkList({ place, version }: { readonly place: Place; readonly version: string }) {
  const [isWhole, setWhole] = useState(false);
  const { value, error } = useAsked(`${place.kind} ${place.name} ${place.cluster} ${version}`, (signal) =>
    server.remarks(place, signal),
  );
  const lines = [
    ...(value?.errors ?? []).map((remark) => ({ level: "error" as const, ...remark })),
    ...(value?.warnings ?? []).map((remark) => ({ level: "warning" as const, ...remark })),
  ];
  const rest = lines.length - few;
  return (
    <>
      <Title headingLevel="h2" size="lg">
        Errors and warnings
      </Title>
      {value === undefined && (
        <p className="hw-subtle">{error === undefined ? "Reading them…" : `They cannot be read: ${error}`}</p>
      )}
      <ul className="hw-remarks">
        {lines.slice(0, isWhole ? lines.length : few).map((line, i) => (
          // Lines may repeat word for word; their place tells them apart.
          <Line key={`${i} ${line.text}`} {...line} />
        ))}
      </ul>
      {rest > 0 && (
        <Button variant="link" isInline onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show fewer" : `Show ${rest} more`}
        </Button>
      )}
      {isWhole && value !== undefined && value.more > 0 && (
        <p className="hw-subtle">and {counted(value.more, "line")} more in the log</p>
      )}
    </>
  );
}

function Line({ level, where, object, text }: Remark & { readonly level: "error" | "warning" }) {
  return (
    <li className={`hw-remark hw-remark--${level}`}>
      {level === "error" ? <ExclamationCircleIcon /> : <ExclamationTriangleIcon />}
      <span className="hw-unseen">{level}</span>
      <span className="hw-remark__where hw-subtle">{where}</span>
      <span className="hw-said">
        {object !== undefined && <strong>{object} </strong>}
        {text}
      </span>
    </li>
  );
}
