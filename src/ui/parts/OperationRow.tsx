import { memo } from "react";
import {
  doneWords,
  formatRate,
  headline,
  isStalled,
  isTerminal,
  kindWord,
  numbersOf,
  type Operation,
  type Unit,
} from "../../progress/index.ts";
import { operationAddress } from "../route.ts";
import { elapsed, shortTime, utcTime } from "../words.ts";
import { OperationBar } from "./Bar.tsx";
import { StateLabel } from "./StateLabel.tsx";

interface OperationRowProps {
  readonly operation: Operation;
  readonly index: number;
  readonly nowMs: number;
  readonly rate: number | undefined;
  readonly unit: Unit;
}

/** One operation of the list. Every number has a place of its own width: nothing jumps while bars move. */
export const OperationRow = memo(function OperationRow({
  operation,
  index,
  nowMs,
  rate,
  unit,
}: OperationRowProps) {
  const { ref, state } = operation;
  const isOver = isTerminal(state);
  const news = headline(operation, nowMs);
  const isBad = isStalled(operation) || state === "failed" || state === "partially-failed";
  const at = operation.finishedAt ?? operation.startedAt;
  return (
    <div className="hw-row" role="row" aria-rowindex={index}>
      <div role="cell" className="hw-row__state">
        <StateLabel operation={operation} />
      </div>
      <div role="cell" className="hw-row__name">
        <a href={operationAddress(operation.id)} data-row-link="" title={ref.name}>
          {ref.name}
        </a>
        <span className="hw-subtle" title={[ref.cluster, ref.namespace].filter(Boolean).join(" / ")}>
          {kindWord(operation.kind)} · {ref.cluster ? `${ref.cluster} / ` : ""}
          {ref.namespace}
        </span>
      </div>
      <div role="cell" className="hw-row__bar">
        <OperationBar operation={operation} />
        <span className="hw-row__numbers">
          <span className="hw-percent">{doneWords(operation)}</span>
          <span className="hw-subtle">{numbersOf(operation)}</span>
        </span>
      </div>
      <div role="cell" className={`hw-row__news${isBad ? " hw-bad" : ""}`} title={news}>
        {news}
      </div>
      <div role="cell" className="hw-row__rate">
        {!isOver && rate !== undefined ? formatRate(rate, unit) : ""}
      </div>
      <div role="cell" className="hw-row__age" title={at === undefined ? "" : utcTime(at)}>
        {isOver && at !== undefined ? shortTime(at, nowMs) : elapsed(operation, nowMs)}
      </div>
    </div>
  );
});
