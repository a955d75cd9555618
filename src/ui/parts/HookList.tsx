import { Button, PageSection, Title } from "@patternfly/react-core";
import { useState } from "react";
import type { Backup, Restore } from "../../api/index.ts";
import { askedHooks, hookCounts } from "../hooks.ts";
import { type Place, server } from "../server.ts";
import { useAsked } from "../use-asked.ts";

/** Shown before somebody asks for all. */
const few = 5;
/** Drawn at most; a spec with more is read in its YAML. */
const maxRows = 500;

interface HookListProps {
  readonly place: Place;
  readonly version: string;
  readonly isOver: boolean;
}

/** The hooks of a backup or a restore: what it was asked to run, and how that went; nothing where there are none. */
export function HookList({ place, version, isOver }: HookListProps) {
  const [isWhole, setWhole] = useState(false);
  const { value } = useAsked(
    `${place.kind} ${place.name} ${place.cluster} ${version}`,
    (signal) => server.object(place, signal),
    isOver ? undefined : 5_000,
  );
  const run = value as Backup | Restore | undefined; // asked for by one of these kinds
  const hooks = run ? askedHooks(run) : [];
  const counts = run ? hookCounts(run) : "";
  if (hooks.length === 0 && counts === "") return null;
  const shown = hooks.slice(0, isWhole ? maxRows : few);
  return (
    <PageSection aria-label="Hooks">
      <Title headingLevel="h2" size="lg">
        Hooks
      </Title>
      <p className="hw-subtle">
        {counts || (isOver ? "None was run" : "None has run yet")}. What a failed one said is among the
        errors; a hook that a pod asks for itself, as an annotation, counts but is not listed.
      </p>
      <ul className="hw-hooks">
        {shown.map(({ name, when, pods, container, command }, i) => (
          // The same hook may stand there twice; its place tells them apart.
          <li key={`${i} ${name}`}>
            <span>
              <strong>{name}</strong> <span className="hw-subtle">{when}</span>
            </span>
            <span>
              {pods}, <span className="hw-subtle">{container}</span>
            </span>
            <code>{command}</code>
          </li>
        ))}
      </ul>
      {hooks.length > few && (
        <Button variant="link" isInline onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show fewer" : `Show ${hooks.length - few} more`}
        </Button>
      )}
    </PageSection>
  );
}
