import { Label } from "@patternfly/react-core";
import { BanIcon } from "@patternfly/react-icons/dist/esm/icons/ban-icon";
import { CheckCircleIcon } from "@patternfly/react-icons/dist/esm/icons/check-circle-icon";
import { ExclamationCircleIcon } from "@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon";
import { ExclamationTriangleIcon } from "@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon";
import { InProgressIcon } from "@patternfly/react-icons/dist/esm/icons/in-progress-icon";
import { MinusCircleIcon } from "@patternfly/react-icons/dist/esm/icons/minus-circle-icon";
import { OutlinedHourglassIcon } from "@patternfly/react-icons/dist/esm/icons/outlined-hourglass-icon";
import { PauseCircleIcon } from "@patternfly/react-icons/dist/esm/icons/pause-circle-icon";
import type { ReactElement } from "react";
import { capital, type Operation, type State, shownState, stateWords } from "../../progress/index.ts";

interface Look {
  readonly color: "blue" | "grey" | "green" | "orange" | "red" | "yellow";
  readonly icon: ReactElement;
}

const looks: Readonly<Record<State | "stalled", Look>> = {
  pending: { color: "grey", icon: <OutlinedHourglassIcon /> },
  running: { color: "blue", icon: <InProgressIcon /> },
  completed: { color: "green", icon: <CheckCircleIcon /> },
  "partially-failed": { color: "orange", icon: <ExclamationTriangleIcon /> },
  failed: { color: "red", icon: <ExclamationCircleIcon /> },
  canceled: { color: "grey", icon: <BanIcon /> },
  skipped: { color: "grey", icon: <MinusCircleIcon /> },
  stalled: { color: "orange", icon: <PauseCircleIcon /> },
};

/** A state as icon, colour and word: any one of them is enough. */
export function StateLabel({
  operation,
  isCompact = true,
}: {
  readonly operation: Operation;
  readonly isCompact?: boolean;
}) {
  const state = shownState(operation);
  const { color, icon } = looks[state];
  return (
    <Label color={color} icon={icon} isCompact={isCompact} data-state={state}>
      {capital(stateWords[state])}
    </Label>
  );
}
