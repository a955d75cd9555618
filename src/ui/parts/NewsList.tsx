import {
  doneWords,
  type Group,
  headline,
  isStalled,
  kindWord,
  type Operation,
} from "../../progress/index.ts";
import { operationAddress } from "../route.ts";
import { OperationBar } from "./Bar.tsx";
import { StateLabel } from "./StateLabel.tsx";

interface NewsListProps {
  readonly group: Group;
  readonly operations: readonly Operation[];
  readonly most: number;
  readonly nowMs: number;
}

const titles: Readonly<Record<Group, string>> = {
  attention: "Needs attention",
  running: "Running",
  waiting: "Waiting",
  ended: "Ended",
};

/** Some operations with their one-sentence news. */
export function NewsList({ group, operations, most, nowMs }: NewsListProps) {
  const more = operations.length - most;
  return (
    <section aria-label={titles[group]} className="hw-news">
      <h3 className={group === "attention" ? "hw-bad" : ""}>
        {titles[group]} <span className="hw-subtle">{operations.length}</span>
      </h3>
      <ul>
        {operations.slice(0, most).map((operation) => (
          <li key={operation.id}>
            <StateLabel operation={operation} />
            <a href={operationAddress(operation.id)}>{operation.ref.name}</a>
            <span className="hw-subtle">{kindWord(operation.kind)}</span>
            <OperationBar operation={operation} />
            <span className="hw-percent">{doneWords(operation)}</span>
            <span className={`hw-news__words${isBad(operation) ? " hw-bad" : ""}`}>
              {headline(operation, nowMs)}
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <a href="/operations">{more} more</a>}
    </section>
  );
}

function isBad(operation: Operation): boolean {
  return isStalled(operation) || operation.state === "failed" || operation.state === "partially-failed";
}
