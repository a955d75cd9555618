import { memo } from "react";
import { doneWords, isTerminal, type Operation, type State, shownState } from "../../progress/index.ts";

interface BarProps {
  readonly label: string;
  readonly fraction: number | undefined;
  readonly state: State | "stalled";
  readonly done: string;
  readonly isOver: boolean;
  readonly isLarge?: boolean;
}

/** A bar that only ever moves by a transform: nothing around it is laid out anew. */
const Bar = memo(function Bar({ label, fraction, state, done, isOver, isLarge = false }: BarProps) {
  const isUnknown = fraction === undefined && state === "running";
  // After an end that was not good a share of the whole means nothing; the words say what was done.
  const isShare = fraction !== undefined && (!isOver || state === "completed");
  return (
    <div
      className={`hw-bar hw-bar--${state}${isLarge ? " hw-bar--large" : ""}${isUnknown ? " hw-bar--unknown" : ""}`}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuetext={isUnknown ? "still counting" : `${done}${isOver ? "" : " done"}`}
      {...(isShare && { "aria-valuenow": Math.floor(fraction * 100) })}
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
      state={shownState(operation)}
      done={doneWords(operation)}
      isOver={isTerminal(operation.state)}
      isLarge={isLarge}
    />
  );
}
