import { Title } from "@patternfly/react-core";
import {
  counted,
  doneWords,
  headline,
  inOrder,
  isStalled,
  kindWord,
  numbersOf,
  type Operation,
  titleOf,
} from "../../progress/index.ts";
import type { Step } from "../pipeline.ts";
import { elapsed } from "../words.ts";
import { OperationBar } from "./Bar.tsx";
import { StateLabel } from "./StateLabel.tsx";

/** Rows drawn at once; what runs or went wrong comes first, so that the rest is the dull part. */
const maxRows = 200;

interface StepObjectsProps {
  readonly step: Step;
  readonly nowMs: number;
}

/** What a step is made of: volumes, kinds of objects, phases; on both clusters side by side where there are two. */
export function StepObjects({ step, nowMs }: StepObjectsProps) {
  const parts = objectsOf(step.operation);
  const clusters = [...new Set(parts.map(({ ref }) => ref.cluster ?? ""))];
  return (
    <>
      <Title headingLevel="h2" size="lg">
        {step.title}
      </Title>
      {clusters.length > 1 ? (
        <div className="hw-sides">
          {clusters.map((cluster) => (
            <section key={cluster} aria-label={cluster === "" ? "This cluster" : `Cluster ${cluster}`}>
              <Title headingLevel="h3" size="md">
                {cluster === "" ? "This cluster" : `Cluster ${cluster}`}
              </Title>
              <Objects parts={parts.filter(({ ref }) => (ref.cluster ?? "") === cluster)} nowMs={nowMs} />
            </section>
          ))}
        </div>
      ) : (
        <Objects parts={parts} nowMs={nowMs} />
      )}
    </>
  );
}

/** A migration's step is made of phases: what they work on says more than they do, and they are listed below it. */
function objectsOf(step: Operation): readonly Operation[] {
  const inPhases = step.children.flatMap((child) => (child.kind === "phase" ? child.children : []));
  if (step.kind === "step" && inPhases.length > 0) return inPhases;
  return step.children.length > 0 ? step.children : [step];
}

function Objects({ parts, nowMs }: { readonly parts: readonly Operation[]; readonly nowMs: number }) {
  const sorted = parts.length > maxRows ? inOrder(parts, nowMs) : parts;
  return (
    <div role="list" className="hw-objects">
      {sorted.slice(0, maxRows).map((part) => (
        <ObjectRow key={part.id} part={part} nowMs={nowMs} />
      ))}
      {sorted.length > maxRows && (
        <p className="hw-subtle">
          and {sorted.length - maxRows} more; <code>headway watch</code> shows them all
        </p>
      )}
    </div>
  );
}

function isBad({ state }: Operation): boolean {
  return state === "failed" || state === "partially-failed";
}

function ObjectRow({ part, nowMs }: { readonly part: Operation; readonly nowMs: number }) {
  const news = headline(part, nowMs);
  const said = part.state === "running" && part.message !== undefined ? part.message : "";
  return (
    <>
      <div role="listitem" className="hw-object">
        <div className="hw-object__title">
          {titleOf(part) || kindWord(part.kind)}
          <div className="hw-subtle">
            {[part.children.length > 0 ? counted(part.children.length, "part") : "", said]
              .filter(Boolean)
              .join(" · ")}
          </div>
        </div>
        <StateLabel operation={part} />
        <div className="hw-object__bar">
          <OperationBar operation={part} />
        </div>
        <div className="hw-object__numbers">
          <span className="hw-percent">{doneWords(part)}</span>
          <span className="hw-subtle">{numbersOf(part)}</span>
        </div>
        <div className="hw-object__took hw-subtle">{elapsed(part, nowMs)}</div>
        {(isStalled(part) || part.waitingFor || isBad(part)) && (
          <div className={`hw-object__message ${isStalled(part) || isBad(part) ? "hw-bad" : "hw-subtle"}`}>
            {news}
          </div>
        )}
      </div>
      {part.children.length > 0 && (
        <div className="hw-nested">
          <Objects parts={part.children} nowMs={nowMs} />
        </div>
      )}
    </>
  );
}
