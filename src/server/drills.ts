import { type Drill, parseTimeMs } from "../api/index.ts";
import { family, type Sample } from "./exposition.ts";
import { drillFamilies as families } from "./families.ts";

/** So many namespaces are told, those proved last first. */
const mostNamespaces = 1_000;

interface Known {
  readonly endedAt: number;
  readonly drill: Drill;
}

/** What rehearsals proved, by the namespace as the backup has it. */
export function drillText(drills: Iterable<Drill>): string {
  const proved = new Map<string, Known>();
  const last = new Map<string, Known>();
  for (const drill of drills) {
    const { phase, completionTimestamp, namespaces = [] } = drill.status ?? {};
    const endedAt = parseTimeMs(completionTimestamp);
    if (endedAt === undefined || (phase !== "Completed" && phase !== "Failed")) continue;
    for (const { source } of namespaces) {
      if (phase === "Completed") keepNewest(proved, source, { endedAt, drill });
      keepNewest(last, source, { endedAt, drill });
    }
  }
  const result = (
    pick: (result: NonNullable<NonNullable<Drill["status"]>["result"]>) => number | undefined,
  ) => samples(proved, ({ drill }) => pick(drill.status?.result ?? {}));
  return [
    family(
      families.lastProved,
      samples(proved, ({ endedAt }) => endedAt / 1000),
    ),
    family(
      families.rto,
      result(({ rtoSeconds }) => rtoSeconds),
    ),
    family(
      families.rpo,
      result(({ rpoSeconds }) => rpoSeconds),
    ),
    family(
      families.volumes,
      result(({ volumes }) => volumes),
    ),
    family(
      families.volumesProved,
      result(({ volumesProved }) => volumesProved),
    ),
    family(
      families.failed,
      samples(last, ({ drill }) => (drill.status?.phase === "Failed" ? 1 : 0)),
    ),
  ].join("");
}

function keepNewest(known: Map<string, Known>, namespace: string, one: Known): void {
  if ((known.get(namespace)?.endedAt ?? -1) < one.endedAt) known.set(namespace, one);
}

function samples(known: ReadonlyMap<string, Known>, value: (one: Known) => number | undefined): Sample[] {
  return [...known]
    .toSorted(([, a], [, b]) => b.endedAt - a.endedAt)
    .slice(0, mostNamespaces)
    .flatMap(([namespace, one]) => {
      const found = value(one);
      return found === undefined ? [] : [{ labels: { namespace }, value: found }];
    });
}
