import {
  Breadcrumb,
  BreadcrumbItem,
  Button,
  Drawer,
  DrawerContent,
  DrawerContentBody,
  EmptyState,
  EmptyStateBody,
  EmptyStateFooter,
  Label,
  PageSection,
  Title,
} from "@patternfly/react-core";
import { type ReactNode, useRef, useState } from "react";
import type { About } from "../../observe/index.ts";
import {
  doneWords,
  endWords,
  formatRate,
  headline,
  isTerminal,
  kindWord,
  numbersOf,
  type Operation,
  obstacle,
  rateOf,
} from "../../progress/index.ts";
import { go } from "../navigate.ts";
import { OperationBar } from "../parts/Bar.tsx";
import { CancelButton } from "../parts/CancelButton.tsx";
import { Charts } from "../parts/Charts.tsx";
import { EventList } from "../parts/EventList.tsx";
import { HookList } from "../parts/HookList.tsx";
import { MigrationNotes } from "../parts/MigrationNotes.tsx";
import { Moment } from "../parts/Moment.tsx";
import { NextStep } from "../parts/NextStep.tsx";
import { ObjectPanel } from "../parts/ObjectPanel.tsx";
import { Pipeline } from "../parts/Pipeline.tsx";
import { Problems } from "../parts/Problems.tsx";
import { RemarkList } from "../parts/RemarkList.tsx";
import { StateLabel } from "../parts/StateLabel.tsx";
import { StepObjects } from "../parts/StepObjects.tsx";
import { currentStep, pipeline } from "../pipeline.ts";
import { problemsOf } from "../problems.ts";
import { idOf, type Route, writeRoute } from "../route.ts";
import { type Place, server } from "../server.ts";
import { useKnown, useNow } from "../state.ts";
import { useAsked } from "../use-asked.ts";
import { useTitle } from "../use-title.ts";
import { clockTime, elapsed } from "../words.ts";

type OperationRoute = Extract<Route, { readonly page: "operation" }>;

interface OneOperationProps {
  readonly route: OperationRoute;
  readonly about: About;
}

/** One operation from end to end: how far, how long, what stands in its way. */
export function OneOperation({ route, about }: OneOperationProps) {
  const { operations } = useKnown();
  const operation = operations.get(idOf(route));
  const wasHere = useRef(false);
  if (operation) {
    wasHere.current = true;
    return <Found operation={operation} route={route} about={about} />;
  }
  return <Missing route={route} wasHere={wasHere.current} />;
}

function Found({ operation, route, about }: OneOperationProps & { readonly operation: Operation }) {
  const [isPanelOpen, setPanelOpen] = useState(false);
  const now = useNow();
  const place: Place = route;
  useTitle(operation);
  const isOver = isTerminal(operation.state);
  const version = `${operation.state} ${operation.finishedAt ?? ""}`;
  const panel = (
    <ObjectPanel
      place={place}
      title={operation.title}
      version={version}
      onClose={() => setPanelOpen(false)}
    />
  );
  return (
    <Drawer isExpanded={isPanelOpen} isInline>
      <DrawerContent panelContent={panel}>
        <DrawerContentBody>
          <PageSection>
            <Crumbs operation={operation} />
            <div className="hw-headline">
              <Title headingLevel="h1">{operation.ref.name}</Title>
              <StateLabel operation={operation} isCompact={false} />
              <Label variant="outline">{kindWord(operation.kind)}</Label>
              <div className="hw-headline__actions">
                {about.objects && (
                  <Button
                    variant="secondary"
                    aria-expanded={isPanelOpen}
                    onClick={() => setPanelOpen(!isPanelOpen)}
                  >
                    YAML and log
                  </Button>
                )}
                {about.writes && !isOver && <CancelButton operation={operation} place={place} />}
                {about.writes && isOver && <NextStep operation={operation} place={place} />}
              </div>
            </div>
            <Hero operation={operation} nowMs={now} />
          </PageSection>
          <Body operation={operation} route={route} about={about} nowMs={now} version={version} />
        </DrawerContentBody>
      </DrawerContent>
    </Drawer>
  );
}

interface BodyProps extends OneOperationProps {
  readonly operation: Operation;
  readonly nowMs: number;
  readonly version: string;
}

function Body({ operation, route, about, nowMs, version }: BodyProps) {
  const steps = pipeline(operation, nowMs);
  const chosen = steps.find(({ id }) => id === route.step) ?? currentStep(steps);
  const problems = problemsOf(operation, nowMs);
  const choose = (step: string) => go(writeRoute({ ...route, step }), true);
  return (
    <>
      {problems.length > 0 && (
        <PageSection aria-label="Problems">
          <Problems problems={problems} />
        </PageSection>
      )}
      {about.objects && isRun(operation) && isTerminal(operation.state) && hasRemarks(operation) && (
        <PageSection aria-label="Errors and warnings">
          <RemarkList place={route} version={version} />
        </PageSection>
      )}
      {steps.length > 0 && (
        <PageSection aria-label="Pipeline">
          <Pipeline steps={steps} chosen={chosen?.id} onChoose={choose} />
        </PageSection>
      )}
      {chosen && (
        <PageSection aria-label="Objects of the step" className="hw-stage">
          <StepObjects step={chosen} nowMs={nowMs} />
          {operation.ref.kind === "MigMigration" && about.objects && (
            <MigrationNotes
              place={route}
              step={chosen.operation.title}
              version={`${version} ${chosen.state}`}
              nowMs={nowMs}
            />
          )}
        </PageSection>
      )}
      {about.objects && isRun(operation) && (
        <HookList place={route} version={version} isOver={isTerminal(operation.state)} />
      )}
      <ChartSection operation={operation} place={route} version={version} />
      {about.objects && <EventSection operation={operation} place={route} version={version} />}
    </>
  );
}

/** Backups and restores are Velero's: they have hooks, a log and results. */
function isRun({ ref }: Operation): boolean {
  return ref.kind === "Backup" || ref.kind === "Restore";
}

function hasRemarks({ errors, warnings }: Operation): boolean {
  return errors + warnings > 0;
}

interface SectionProps {
  readonly operation: Operation;
  readonly place: Place;
  readonly version: string;
}

function ChartSection({ operation, place, version }: SectionProps) {
  const everyMs = isTerminal(operation.state) ? undefined : 2_000;
  const key = `${operation.id} ${version}`;
  const { value } = useAsked(key, (signal) => server.curve(place, signal), everyMs);
  if (!value || (!value.work && value.told.length < 2)) return null;
  return (
    <PageSection aria-label="Charts">
      <Charts operation={operation} curve={value} />
    </PageSection>
  );
}

function EventSection({ operation, place, version }: SectionProps) {
  const everyMs = isTerminal(operation.state) ? undefined : 5_000;
  const key = `${operation.id} ${version}`;
  const { value, error } = useAsked(key, (signal) => server.events(place, signal), everyMs);
  return (
    <PageSection aria-label="Events">
      <Title headingLevel="h2" size="lg">
        Events
      </Title>
      {value ? <EventList events={value} /> : <p className="hw-subtle">{error ?? ""}</p>}
    </PageSection>
  );
}

function Crumbs({ operation }: { readonly operation: Operation }) {
  return (
    <Breadcrumb>
      <BreadcrumbItem to="/operations">Operations</BreadcrumbItem>
      <BreadcrumbItem isActive>
        {operation.ref.cluster ? `${operation.ref.cluster} / ` : ""}
        {operation.ref.namespace} / {operation.ref.name}
      </BreadcrumbItem>
    </Breadcrumb>
  );
}

function Hero({ operation, nowMs }: { readonly operation: Operation; readonly nowMs: number }) {
  const { meters } = useKnown();
  const meter = meters.get(operation.id);
  const rate = rateOf(meter, nowMs);
  const isOver = isTerminal(operation.state);
  const isShare = !isOver || operation.state === "completed";
  const isForetold = !isOver && obstacle(operation, nowMs) === undefined;
  const sure = operation.eta && isForetold ? endWords(operation.eta, nowMs, clockTime) : "";
  const { startedAt, finishedAt } = operation;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [isOver ? "Took" : "Elapsed", elapsed(operation, nowMs) || "–"],
    ...(isOver
      ? []
      : ([["Rate", meter && rate !== undefined ? formatRate(rate, meter.unit) : "–"]] as const)),
    isShare ? ["Progress", numbersOf(operation) || "–"] : ["Done", doneWords(operation) || "–"],
    ["Started", startedAt === undefined ? "–" : <Moment key="at" at={startedAt} />],
    ...(finishedAt === undefined ? [] : ([["Ended", <Moment key="at" at={finishedAt} />]] as const)),
  ];
  return (
    <>
      <div className={`hw-hero${isShare ? "" : " hw-hero--ended"}`}>
        {isShare && <div className="hw-hero__percent">{doneWords(operation)}</div>}
        <OperationBar operation={operation} isLarge />
        <div className="hw-hero__news">
          {headline(operation, nowMs)}
          {sure !== "" && (
            <span className="hw-subtle" title="In four of five cases the end falls into the range">
              {" · "}
              {sure}
            </span>
          )}
        </div>
      </div>
      <dl className="hw-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Missing({ route, wasHere }: { readonly route: OperationRoute; readonly wasHere: boolean }) {
  const title = `${kindWord(route.kind).toLowerCase()} “${route.namespace}/${route.name}”`;
  return (
    <PageSection>
      <EmptyState titleText={wasHere ? `The ${title} was deleted` : `There is no ${title}`} headingLevel="h1">
        <EmptyStateBody>
          {wasHere
            ? "It was deleted while this page was open. A new one with the same name will appear here."
            : "It may have been deleted, or not created yet; then it appears here by itself."}
        </EmptyStateBody>
        <EmptyStateFooter>
          <Button component="a" href="/operations" variant="link">
            All operations
          </Button>
        </EmptyStateFooter>
      </EmptyState>
    </PageSection>
  );
}
