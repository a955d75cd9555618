import { memo } from "react";
import { formatPercent, isTerminal, type Operation, type State } from "../../progress/index.ts";
import { isStalled } from "../order.ts";

interface BarProps {
  readonly label: string;
  readonly fraction: number | undefined;
  readonly state: State;
  readonly isStalled: boolean;
  readonly isLarge?: boolean;
}

/** A bar that only ever moves by a transform: nothing around it is laid out anew. */
const Bar = memo(function Bar({ label, fraction, state, isStalled: stalled, isLarge = false }: BarProps) {
  const isOver = isTerminal(state);
  const isUnknown = fraction === undefined && state === "running";
  const tone = stalled ? "stalled" : state;
  return (
    <div
      className={`hw-bar hw-bar--${tone}${isLarge ? " hw-bar--large" : ""}${isUnknown ? " hw-bar--unknown" : ""}`}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuetext={isUnknown ? "still counting" : `${formatPercent(fraction)}${isOver ? "" : " done"}`}
      {...(fraction !== undefined && { "aria-valuenow": Math.floor(fraction * 100) })}
    >
      <div className="hw-bar__fill" style={{ transform: `scaleX(${fraction ?? (isUnknown ? 1 : 0)})` }} />
    </div>
  );
});

/** The bar of an operation. */
export function OperationBar({
  operation,
  isLarge = false,
}: {
  readonly operation: Operation;
  readonly isLarge?: boolean;
}) {
  return (
    <Bar
      label={operation.title}
      fraction={operation.fraction}
      state={operation.state}
      isStalled={isStalled(operation)}
      isLarge={isLarge}
    />
  );
}
