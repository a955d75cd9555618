import { Alert, Title } from "@patternfly/react-core";
import type { MigMigration, MigStep } from "../../api/index.ts";
import { formatDuration } from "../../progress/index.ts";
import { type Place, server } from "../server.ts";
import { useAsked } from "../use-asked.ts";

interface MigrationNotesProps {
  readonly place: Place;
  /** The step's own name in the migration. */
  readonly step: string;
  /** Asks again when it changes. */
  readonly version: string;
  readonly nowMs: number;
}

/** What a migration's own object tells besides numbers: the phases of a step with their durations, and its warnings. */
export function MigrationNotes({ place, step: name, version, nowMs }: MigrationNotesProps) {
  const { value } = useAsked(
    `${place.name} ${name} ${version}`,
    (signal) => server.object(place, signal),
    3_000,
  );
  const migration = value?.kind === "MigMigration" ? (value as MigMigration) : undefined; // the kind says so
  const step = migration?.status?.pipeline?.find((each) => each.name === name);
  const conditions = (migration?.status?.conditions ?? []).filter(({ category }) => loud.has(category ?? ""));
  return (
    <>
      {(step?.phases?.length ?? 0) > 0 && (
        <>
          <Title headingLevel="h3" size="md">
            Phases
          </Title>
          <ol className="hw-phases">
            {step?.phases?.map((phase) => (
              <li key={phase.name}>
                {phase.name} <span className="hw-subtle">{phaseWords(phase, nowMs)}</span>
              </li>
            ))}
          </ol>
        </>
      )}
      {[...(step?.warnings ?? []), ...conditions.map(({ type, message }) => `${type}: ${message ?? ""}`)].map(
        (text) => (
          <Alert key={text} isInline isPlain variant="warning" title={text} component="p" />
        ),
      )}
    </>
  );
}

const loud: ReadonlySet<string> = new Set(["Warn", "Error", "Critical"]);

type Phase = NonNullable<MigStep["phases"]>[number];

function phaseWords({ started, completed, skipped }: Phase, nowMs: number): string {
  if (skipped) return "skipped";
  const from = Date.parse(started ?? "");
  if (Number.isNaN(from)) return "not started";
  const to = Date.parse(completed ?? "");
  return formatDuration(Math.max(0, (Number.isNaN(to) ? nowMs : to) - from) / 1000);
}
