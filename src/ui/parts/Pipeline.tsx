import { ProgressStep, ProgressStepper } from "@patternfly/react-core";
import { BanIcon } from "@patternfly/react-icons/dist/esm/icons/ban-icon";
import { ForwardIcon } from "@patternfly/react-icons/dist/esm/icons/forward-icon";
import { InProgressIcon } from "@patternfly/react-icons/dist/esm/icons/in-progress-icon";
import { useEffect, useRef, useState } from "react";
import type { Step } from "../pipeline.ts";
import { useNarrow } from "../use-narrow.ts";

interface PipelineProps {
  readonly steps: readonly Step[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}

/** The steps of an operation in a row, each with its state in icon and words; a column where there is no room. */
export function Pipeline({ steps, chosen, onChoose }: PipelineProps) {
  const isVertical = useNarrow() || steps.length > 8;
  return (
    <>
      <ProgressStepper isCenterAligned={!isVertical} isVertical={isVertical} aria-label="Steps">
        {steps.map((step) => (
          <ProgressStep
            key={step.id}
            id={`step-${step.id}`}
            titleId={`step-${step.id}-title`}
            variant={step.variant}
            isCurrent={step.operation.state === "running"}
            aria-label={`${step.title}: ${step.state}`}
            description={
              <>
                {step.state}
                {step.description !== "" && (
                  <>
                    <br />
                    {step.description}
                  </>
                )}
              </>
            }
            {...iconOf(step)}
          >
            <button
              type="button"
              className="hw-step"
              aria-pressed={step.id === chosen}
              onClick={() => onChoose(step.id)}
              data-step-state={step.operation.state}
            >
              {step.title}
            </button>
          </ProgressStep>
        ))}
      </ProgressStepper>
      <StepNews steps={steps} />
    </>
  );
}

function iconOf({ operation, variant }: Step) {
  if (operation.state === "skipped") return { icon: <ForwardIcon /> };
  if (operation.state === "canceled") return { icon: <BanIcon /> };
  if (operation.state === "running" && variant === "info") {
    return { icon: <InProgressIcon className="hw-turning" /> };
  }
  return {};
}

/** Says aloud when a step changes, and nothing else: ticking numbers would drown a screen reader. */
function StepNews({ steps }: { readonly steps: readonly Step[] }) {
  const now = steps.map((step) => `${step.id} ${step.state}`).join("|");
  const before = useRef(new Map(steps.map((step) => [step.id, step.state])));
  const [news, setNews] = useState("");
  useEffect(() => {
    const changed = steps.filter((step) => before.current.get(step.id) !== step.state);
    before.current = new Map(steps.map((step) => [step.id, step.state]));
    if (changed.length > 0) setNews(changed.map((step) => `${step.title}: ${step.state}`).join(", "));
    // `now` holds all that is told of the steps.
  }, [now]);
  return (
    <div aria-live="polite" className="pf-v6-u-screen-reader hw-unseen">
      {news}
    </div>
  );
}
