import { Alert, PageSection, Spinner, Title } from "@patternfly/react-core";
import type { ReactNode } from "react";
import type { About, Board } from "../../observe/index.ts";
import { arrange } from "../../progress/index.ts";
import { boardProblems, verdict } from "../board-words.ts";
import { Locations } from "../parts/Locations.tsx";
import { NewsList } from "../parts/NewsList.tsx";
import { NextDay } from "../parts/NextDay.tsx";
import { ProtectionTable } from "../parts/ProtectionTable.tsx";
import { Unreachable } from "../parts/Unreachable.tsx";
import { server } from "../server.ts";
import { useKnown, useNow } from "../state.ts";
import { type Asked, useAsked } from "../use-asked.ts";
import { useClusters } from "../use-clusters.ts";

/** The board changes with backups and schedules, not with every byte. */
const askEveryMs = 15_000;
/** So many operations of each group are shown here; the list has them all. */
const mostNews = 5;

/** The first thing to see: is everything protected, what runs now, what needs somebody. */
export function Overview({ about }: { readonly about: About }) {
  const names = useClusters(about);
  if (!about.objects) return <Now />;
  // What runs is one list for all clusters; it stands below the first verdict.
  return (
    <>
      {about.several && (
        <PageSection aria-label="Clusters">
          <Unreachable />
        </PageSection>
      )}
      {names.length === 0 && <Now />}
      {names.map((name, index) => (
        <OneCluster key={name} cluster={name} writes={about.writes}>
          {index === 0 && <Now />}
        </OneCluster>
      ))}
    </>
  );
}

interface OneClusterProps {
  readonly cluster: string;
  readonly writes: boolean;
  readonly children: ReactNode;
}

function OneCluster({ cluster, writes, children }: OneClusterProps) {
  const asked = useAsked(`board ${cluster}`, (signal) => server.board(cluster, signal), askEveryMs);
  const now = useNow();
  return (
    <>
      <Safety cluster={cluster} writes={writes} asked={asked} nowMs={now} />
      {children}
      {asked.value && <Around board={asked.value} nowMs={now} />}
    </>
  );
}

interface SafetyProps extends Omit<OneClusterProps, "children"> {
  readonly asked: Asked<Board>;
  readonly nowMs: number;
}

function Safety({ cluster, writes, asked, nowMs }: SafetyProps) {
  const { value: board, error } = asked;
  const said = board && verdict(board);
  return (
    <PageSection aria-label={cluster === "" ? "Protection" : `Protection of ${cluster}`}>
      {cluster !== "" && <p className="hw-subtle">{cluster}</p>}
      <Title headingLevel="h1" className={said && !said.isSafe ? "hw-verdict--bad" : ""}>
        {said?.text ?? (error ? "What is protected cannot be said" : "Reading the backups …")}
      </Title>
      {!board && !error && <Spinner size="lg" aria-label="Reading the backups" />}
      {error && <Alert isInline variant="warning" component="h2" title={error} />}
      {board && <Troubles board={board} />}
      {board && <ProtectionTable board={board} cluster={cluster} writes={writes} nowMs={nowMs} />}
    </PageSection>
  );
}

function Troubles({ board }: { readonly board: Board }) {
  return boardProblems(board).map(({ id, text, help }) => (
    <Alert key={id} isInline variant="danger" component="h2" title={text} className="hw-away">
      <code>{help}</code>
    </Alert>
  ));
}

/** What runs, waits for somebody or went wrong, as in the list, and no more than fits. */
function Now() {
  const { operations } = useKnown();
  const now = useNow();
  const groups = arrange([...operations.values()], now).filter(({ group }) => group !== "ended");
  return (
    <PageSection aria-label="Now">
      <Title headingLevel="h2" size="lg">
        Now
      </Title>
      {groups.length === 0 && <p className="hw-subtle">Nothing runs, nothing failed in the last day.</p>}
      {groups.map(({ group, operations: members }) => (
        <NewsList key={group} group={group} operations={members} most={mostNews} nowMs={now} />
      ))}
    </PageSection>
  );
}

function Around({ board, nowMs }: { readonly board: Board; readonly nowMs: number }) {
  return (
    <>
      <PageSection aria-label="The next 24 hours">
        <NextDay schedules={board.schedules} nowMs={nowMs} />
      </PageSection>
      <PageSection aria-label="Storage locations">
        <Locations locations={board.locations} />
      </PageSection>
    </>
  );
}
