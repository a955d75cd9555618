import {
  Button,
  EmptyState,
  EmptyStateActions,
  EmptyStateBody,
  EmptyStateFooter,
  PageSection,
  SearchInput,
  Title,
  Toolbar,
  ToolbarContent,
  ToolbarItem,
} from "@patternfly/react-core";
import { type KeyboardEvent, useCallback, useMemo } from "react";
import type { About } from "../../observe/index.ts";
import {
  arrange,
  capital,
  type Group,
  isInStates,
  isStalled,
  kindWord,
  type Operation,
  rateOf,
  stateWords,
} from "../../progress/index.ts";
import { type Filters, narrow } from "../filters.ts";
import { go } from "../navigate.ts";
import { FilterMenu } from "../parts/FilterMenu.tsx";
import { OperationRow } from "../parts/OperationRow.tsx";
import { Unreachable } from "../parts/Unreachable.tsx";
import { VirtualRows } from "../parts/VirtualRows.tsx";
import { noFilters, writeRoute } from "../route.ts";
import { useKnown, useNow } from "../state.ts";
import { useNarrow } from "../use-narrow.ts";

/** Everything that runs, then what ran: problems first. */
export function Operations({ filters, about }: { readonly filters: Filters; readonly about: About }) {
  const known = useKnown();
  const all = [...known.operations.values()];
  const shown = narrow(all, filters);
  const choose = (more: Partial<Filters>, replace = false) =>
    go(writeRoute({ page: "operations", filters: { ...filters, ...more } }), replace);
  return (
    <>
      <PageSection>
        <Title headingLevel="h1">Operations</Title>
        <Summary operations={all} />
        {about.several && <Unreachable />}
        <FilterBar all={all} filters={filters} choose={choose} />
      </PageSection>
      <PageSection isFilled aria-label="List of operations" className="hw-list">
        {all.length === 0 ? (
          <NothingYet writes={about.writes} />
        ) : shown.length === 0 ? (
          <NothingLeft onClear={() => choose(noFilters)} />
        ) : (
          <Rows operations={shown} />
        )}
      </PageSection>
    </>
  );
}

function Summary({ operations }: { readonly operations: readonly Operation[] }) {
  const count = (is: (operation: Operation) => boolean) => operations.filter(is).length;
  const stalled = count(isStalled);
  const running = count(({ state }) => state === "running");
  const waiting = count(({ state }) => state === "pending");
  const facts = [
    `${running} running`,
    ...(stalled > 0 ? [`${stalled} stalled`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    `${operations.length - running - waiting} ended`,
  ];
  return <p className="hw-subtle hw-summary">{facts.join(" · ")}</p>;
}

interface FilterBarProps {
  readonly all: readonly Operation[];
  readonly filters: Filters;
  readonly choose: (more: Partial<Filters>, replace?: boolean) => void;
}

type ListFilter = Exclude<keyof Filters, "text">;

function FilterBar({ all, filters, choose }: FilterBarProps) {
  const isNarrowed =
    writeRoute({ page: "operations", filters }) !== writeRoute({ page: "operations", filters: noFilters });
  return (
    <Toolbar className="hw-filters">
      <ToolbarContent>
        <ToolbarItem>
          <SearchInput
            aria-label="Find by name, namespace or message"
            placeholder="Find by name"
            value={filters.text}
            onChange={(_event, text) => choose({ text }, true)}
            onClear={() => choose({ text: "" }, true)}
          />
        </ToolbarItem>
        {menusOf(all, filters).map(({ filter, title, options }) => (
          <ToolbarItem key={filter}>
            <FilterMenu
              title={title}
              options={options}
              chosen={filters[filter]}
              onChoose={(chosen) => choose({ [filter]: chosen })}
            />
          </ToolbarItem>
        ))}
        {isNarrowed && (
          <ToolbarItem>
            <Button variant="link" onClick={() => choose(noFilters)}>
              Show all
            </Button>
          </ToolbarItem>
        )}
      </ToolbarContent>
    </Toolbar>
  );
}

interface Menu {
  readonly filter: ListFilter;
  readonly title: string;
  readonly options: readonly (readonly [value: string, words: string])[];
}

/** What there is to narrow by: only what the list holds, and what is chosen already. */
function menusOf(all: readonly Operation[], filters: Filters): readonly Menu[] {
  const distinct = (read: (operation: Operation) => string, chosen: readonly string[]) =>
    [...new Set([...all.map(read), ...chosen])].filter(Boolean).toSorted((a, b) => (a < b ? -1 : 1));
  const same = (values: readonly string[]) => values.map((value) => [value, value] as const);
  const clusters = distinct(({ ref }) => ref.cluster ?? "", filters.clusters);
  const states = (Object.keys(stateWords) as (keyof typeof stateWords)[]).filter(
    // the keys of a closed record
    (state) => filters.states.includes(state) || all.some((each) => isInStates(each, [state])),
  );
  const kinds = distinct(({ kind }) => kind, filters.kinds);
  const namespaces = distinct(({ ref }) => ref.namespace ?? "", filters.namespaces);
  return [
    { filter: "kinds", title: "Kind", options: kinds.map((kind) => [kind, kindWord(kind)] as const) },
    {
      filter: "states",
      title: "State",
      options: states.map((state) => [state, capital(stateWords[state])] as const),
    },
    { filter: "namespaces", title: "Namespace", options: same(namespaces) },
    ...(clusters.length > 0
      ? [{ filter: "clusters" as const, title: "Cluster", options: same(clusters) }]
      : []),
  ];
}

const groupWords: Readonly<Record<Group, string>> = {
  attention: "Needs attention",
  running: "Running",
  waiting: "Waiting",
  ended: "Ended",
};

type Item =
  | { readonly group: Group; readonly count: number }
  | { readonly operation: Operation; readonly index: number };

function Rows({ operations }: { readonly operations: readonly Operation[] }) {
  const { meters } = useKnown();
  const now = useNow();
  const isNarrow = useNarrow();
  const items = useMemo(() => {
    let index = 1;
    return arrange(operations, now).flatMap(({ group, operations: members }): Item[] => [
      { group, count: members.length },
      ...members.map((operation) => ({ operation, index: (index += 1) })),
    ]);
  }, [operations, now]);
  const heightOf = useCallback((item: Item) => ("group" in item ? 52 : isNarrow ? 148 : 64), [isNarrow]);
  return (
    <div
      role="table"
      aria-label="Operations"
      aria-rowcount={operations.length + 1}
      className="hw-table"
      onKeyDown={moveFocus}
    >
      <div role="rowgroup" className="hw-head">
        <div role="row" aria-rowindex={1} className="hw-row hw-row--head">
          {["State", "Name", "Progress", "Message", "Rate", "Elapsed or ended"].map((title) => (
            <div role="columnheader" key={title}>
              {title}
            </div>
          ))}
        </div>
      </div>
      <VirtualRows
        items={items}
        heightOf={heightOf}
        keyOf={(item) => ("group" in item ? item.group : item.operation.id)}
        draw={(item) =>
          "group" in item ? (
            <GroupRow group={item.group} count={item.count} />
          ) : (
            <OperationRow
              operation={item.operation}
              index={item.index}
              nowMs={now}
              rate={rateOf(meters.get(item.operation.id), now)}
              unit={meters.get(item.operation.id)?.unit ?? "bytes"}
            />
          )
        }
      />
    </div>
  );
}

function GroupRow({ group, count }: { readonly group: Group; readonly count: number }) {
  return (
    <div role="row" className={`hw-group hw-group--${group}`}>
      <div role="cell">
        <strong>{groupWords[group]}</strong> <span className="hw-subtle">{count}</span>
      </div>
    </div>
  );
}

/** Arrow keys go from row to row; Enter follows the link that has the focus. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row-link]")];
  const at = links.findIndex((link) => link === document.activeElement);
  const next = links[at + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

function NothingYet({ writes }: { readonly writes: boolean }) {
  return (
    <EmptyState titleText="Nothing runs here yet" headingLevel="h2">
      <EmptyStateBody>
        Backups, restores, actions and migrations of this cluster appear here as soon as they exist, whoever
        starts them: <code>headway backup create NAME</code>, <code>velero</code>, <code>kanctl</code> or a
        schedule.
      </EmptyStateBody>
      {writes && (
        <EmptyStateFooter>
          <EmptyStateActions>
            <Button onClick={() => go("/create/backup")}>Start a backup</Button>
          </EmptyStateActions>
        </EmptyStateFooter>
      )}
    </EmptyState>
  );
}

function NothingLeft({ onClear }: { readonly onClear: () => void }) {
  return (
    <EmptyState titleText="No operation passes these filters" headingLevel="h2">
      <EmptyStateFooter>
        <Button variant="link" onClick={onClear}>
          Show all
        </Button>
      </EmptyStateFooter>
    </EmptyState>
  );
}
