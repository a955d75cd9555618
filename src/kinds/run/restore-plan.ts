/** What a restore will do with one item: asked for beforehand, or seen afterwards. */
export type Verdict =
  | "create"
  | "update"
  /** It is there as the backup has it, or nobody wants it back. */
  | "skip"
  /** Something else has its name, and stays as it is. */
  | "conflict"
  /** The API server does not take it, or it cannot be made at all. */
  | "refused"
  /** Whoever looks may not ask. */
  | "unknown";

/** The verdicts, in the order in which they are shown. */
export const verdicts: readonly Verdict[] = ["create", "update", "skip", "conflict", "refused", "unknown"];

/** Whether a person should look at an item before the restore is begun. */
export function needsLook(verdict: Verdict): boolean {
  return verdict === "conflict" || verdict === "refused" || verdict === "unknown";
}

/** What becomes of one item. */
export interface PlannedItem {
  /** `configmaps`, `deployments.apps`. */
  readonly resource: string;
  /** Where it goes; absent for what has no namespace. */
  readonly namespace?: string;
  readonly name: string;
  readonly verdict: Verdict;
  readonly reason?: string;
  /** Why admission was not asked about an item that is to be created; absent when it was. */
  readonly notAsked?: string;
}

/** How sure a time is: from earlier runs, with a range that holds in four of five cases; or only how long the backup took. */
export interface PlannedTime {
  readonly seconds: number;
  readonly low?: number;
  readonly high?: number;
  readonly from: "restores" | "backup";
}

/** One volume whose data a restore brings back, or not. */
export interface PlannedData {
  readonly namespace: string;
  /** What is filled: a claim where one is known, else the pod's volume. */
  readonly name: string;
  readonly pod?: string;
  /** What the pod calls it. */
  readonly volume?: string;
  readonly method: "pod volume" | "snapshot" | "CSI snapshot" | "moved data";
  readonly mover?: string;
  readonly bytes?: number;
  readonly time?: PlannedTime;
  /** Why nothing of it comes back; absent when it does. */
  readonly leftOut?: string;
}

/** The counts of one type in one namespace. */
export interface PlannedGroup {
  readonly resource: string;
  readonly namespace?: string;
  readonly counts: Readonly<Partial<Record<Verdict, number>>>;
  /** Items of it about which admission was not asked. */
  readonly notAsked: number;
}

/** What a restore would do, found out without doing it. */
export interface RestorePlan {
  readonly restore: string;
  readonly backup: string;
  /** Why the restore would be refused as a whole; then there is nothing else. */
  readonly faults: readonly string[];
  readonly counts: Readonly<Record<Verdict, number>>;
  readonly notAsked: number;
  readonly groups: readonly PlannedGroup[];
  readonly items: readonly PlannedItem[];
  /** Items that are counted and not listed. */
  readonly moreItems: number;
  readonly volumes: readonly PlannedData[];
  /** What all volumes hold, as far as it is known. */
  readonly bytes: number;
  /** Commands that would be run in restored pods. */
  readonly hooks: number;
  readonly time?: PlannedTime;
  /** Types of which nothing is shown, because whoever asks may not read them where they are or would be. */
  readonly hidden: readonly string[];
  /** What this plan cannot know. */
  readonly notes: readonly string[];
}

/** Collects items into a plan. Bounded: so many items are listed, the rest is counted by type and namespace. */
export class PlanTally {
  readonly #limit: number;
  readonly #items: PlannedItem[] = [];
  readonly #groups = new Map<string, PlannedGroup>();
  #more = 0;

  constructor(limit = 100_000) {
    this.#limit = limit;
  }

  add(item: PlannedItem): void {
    if (this.#items.length < this.#limit) this.#items.push(item);
    else this.#more += 1;
    const { resource, namespace, verdict, notAsked } = item;
    const key = `${resource} ${namespace ?? ""}`;
    const group = this.#groups.get(key) ?? {
      resource,
      ...(namespace !== undefined && { namespace }),
      counts: {},
      notAsked: 0,
    };
    const counts = { ...group.counts, [verdict]: (group.counts[verdict] ?? 0) + 1 };
    this.#groups.set(key, { ...group, counts, notAsked: group.notAsked + (notAsked === undefined ? 0 : 1) });
  }

  /** What was collected, in the order of names. */
  result(): Pick<RestorePlan, "counts" | "notAsked" | "groups" | "items" | "moreItems"> {
    const groups = [...this.#groups.values()].toSorted(byPlace);
    const sum = (verdict: Verdict): number =>
      groups.reduce((total, { counts }) => total + (counts[verdict] ?? 0), 0);
    return {
      counts: {
        create: sum("create"),
        update: sum("update"),
        skip: sum("skip"),
        conflict: sum("conflict"),
        refused: sum("refused"),
        unknown: sum("unknown"),
      },
      notAsked: groups.reduce((total, { notAsked }) => total + notAsked, 0),
      groups,
      items: this.#items.toSorted((a, b) => byPlace(a, b) || compare(a.name, b.name)),
      moreItems: this.#more,
    };
  }
}

function byPlace(
  a: Pick<PlannedGroup, "resource" | "namespace">,
  b: Pick<PlannedGroup, "resource" | "namespace">,
): number {
  return compare(a.namespace ?? "", b.namespace ?? "") || compare(a.resource, b.resource);
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
