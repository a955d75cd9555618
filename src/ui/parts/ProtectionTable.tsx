import { Button, Label } from "@patternfly/react-core";
import { CheckCircleIcon } from "@patternfly/react-icons/dist/esm/icons/check-circle-icon";
import { ClockIcon } from "@patternfly/react-icons/dist/esm/icons/clock-icon";
import { ExclamationCircleIcon } from "@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon";
import { ExclamationTriangleIcon } from "@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon";
import { type ReactElement, useState } from "react";
import type { Board, BoardBackup, NamespaceProtection, ProtectionState } from "../../observe/index.ts";
import { numbersOf } from "../../progress/index.ts";
import { age, everyWords, protectionWords } from "../board-words.ts";
import { go } from "../navigate.ts";
import { idOf, writeRoute } from "../route.ts";
import { useKnown } from "../state.ts";
import { utcTime } from "../words.ts";

interface ProtectionTableProps {
  readonly board: Board;
  readonly cluster: string;
  readonly writes: boolean;
  readonly nowMs: number;
}

const looks: Readonly<
  Record<
    ProtectionState,
    { readonly color: "red" | "orange" | "yellow" | "green"; readonly icon: ReactElement }
  >
> = {
  unprotected: { color: "red", icon: <ExclamationCircleIcon /> },
  failing: { color: "orange", icon: <ExclamationTriangleIcon /> },
  late: { color: "yellow", icon: <ClockIcon /> },
  protected: { color: "green", icon: <CheckCircleIcon /> },
};

/** So many rows are shown at first. */
const mostRows = 12;

/** Namespaces and how well they are protected, the worst first. */
export function ProtectionTable({ board, cluster, writes, nowMs }: ProtectionTableProps) {
  const [isWhole, setWhole] = useState(false);
  const rows = board.namespaces.filter(({ isSystem }) => isWhole || !isSystem);
  const shown = isWhole ? rows : rows.slice(0, mostRows);
  const hidden = board.namespaces.length + board.more - shown.length;
  if (board.namespaces.length === 0) return null;
  return (
    <>
      <table className="hw-board" aria-label="Namespaces">
        <thead>
          <tr>
            {["Namespace", "Protection", "Last good backup", "Holds", "Schedule"].map((title) => (
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
          {shown.map((row) => (
            <Row key={row.name} row={row} cluster={cluster} writes={writes} nowMs={nowMs} />
          ))}
        </tbody>
      </table>
      {hidden > 0 && !isWhole && (
        <Button variant="link" isInline onClick={() => setWhole(true)}>
          {`Show ${hidden} more, with those of Kubernetes and of the server`}
        </Button>
      )}
      {isWhole && board.more > 0 && <p className="hw-subtle">{`${board.more} more are not shown.`}</p>}
    </>
  );
}

function Row({
  row,
  cluster,
  writes,
  nowMs,
}: { readonly row: NamespaceProtection } & Omit<ProtectionTableProps, "board">) {
  const { color, icon } = looks[row.state];
  const backup = row.good ?? row.part;
  return (
    <tr>
      <th scope="row">{row.name}</th>
      <td>
        <Label color={color} icon={icon} isCompact data-protection={row.state}>
          {protectionWords(row)}
        </Label>
      </td>
      <td>
        {backup ? <BackupLink backup={backup} cluster={cluster} nowMs={nowMs} /> : "no backup"}
        {row.bad && (
          <div className="hw-subtle">
            then <BackupLink backup={row.bad} cluster={cluster} nowMs={nowMs} />, {row.bad.phase}
          </div>
        )}
      </td>
      <td>{backup && <Holds backup={backup} cluster={cluster} />}</td>
      <td>
        {row.schedules.length === 0 ? "no schedule" : row.schedules.join(", ")}
        {row.intervalMs !== undefined && <span className="hw-subtle"> {everyWords(row.intervalMs)}</span>}
      </td>
      {writes && (
        <td className="hw-board__act">
          <Button
            variant="link"
            isInline
            onClick={() => go(writeRoute({ page: "create", what: "backup", cluster, from: row.name }))}
            aria-label={`Back up ${row.name}`}
          >
            Back up
          </Button>
        </td>
      )}
    </tr>
  );
}

function BackupLink({
  backup,
  cluster,
  nowMs,
}: {
  readonly backup: BoardBackup;
  readonly cluster: string;
  readonly nowMs: number;
}) {
  return (
    <a href={writeRoute(routeOf(backup, cluster))} title={utcTime(backup.at)}>
      {backup.name}, {age(backup.at, nowMs)} ago
    </a>
  );
}

/** What the backup holds, as its operation tells it; nothing where that is not known any more. */
function Holds({ backup, cluster }: { readonly backup: BoardBackup; readonly cluster: string }) {
  const { operations } = useKnown();
  const operation = operations.get(idOf(routeOf(backup, cluster)));
  return operation ? numbersOf(operation) : "";
}

function routeOf({ namespace, name }: BoardBackup, cluster: string) {
  return { page: "operation", kind: "backup", namespace, name, cluster } as const;
}
