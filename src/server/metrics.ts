import { unhandledErrors } from "../../packages/wire/index.ts";
import { isRunSince, type Observer } from "../observe/index.ts";
import {
  isTerminal,
  type Meter,
  measure,
  moved,
  type Operation,
  rateOf,
  stalledParts,
} from "../progress/index.ts";
import { family, Histogram, type Sample, Series } from "./exposition.ts";
import { type Family, ownFamilies as own } from "./families.ts";

/** Live series of so many operations; the rest are counted in `headway_operations` alone. */
const maxLive = 1_000;

interface Live {
  readonly uid: string | undefined;
  readonly meter: Meter | undefined;
  /** What was told when half was done: seconds the whole would take, and between which bounds. */
  readonly told: { readonly whole: number; readonly low: number; readonly high: number } | undefined;
}

/** Metrics beyond those of operations, appended to the page. */
export interface MoreMetrics {
  text(operations: readonly Operation[], nowMs: number): string;
}

/** Where operations come from; their objects tell which of them are new. */
type Source = Pick<Observer, "subscribe" | "operations"> & Partial<Pick<Observer, "object">>;

/** What Prometheus may know of the operations. Live series go with the operation, so that old ones cost nothing. */
export class Metrics {
  readonly #observer: Source;
  readonly #now: () => number;
  readonly #since: number;
  /** Bounded by the operations that are not over. */
  readonly #live = new Map<string, Live>();
  /** The uids of those that are over, by id. */
  readonly #over = new Map<string, string | undefined>();
  readonly #ended = new Series(own.ended);
  readonly #predictions = new Series(own.predictions);
  readonly #durations = new Histogram(own.durations);
  readonly #ratios = new Histogram(own.predicted);
  readonly #more: MoreMetrics | undefined;
  readonly #leave: () => void;

  constructor(observer: Source, now: () => number, more?: MoreMetrics) {
    this.#observer = observer;
    this.#now = now;
    this.#since = now();
    this.#more = more;
    for (const operation of observer.operations()) this.#take(operation.id, operation);
    this.#leave = observer.subscribe(({ id, operation }) => this.#take(id, operation));
  }

  close(): void {
    this.#leave();
  }

  /** The present page. */
  text(): string {
    const all = this.#observer.operations();
    const open = all.filter(({ state }) => !isTerminal(state));
    const live = open.filter(({ state }) => state === "running").slice(0, maxLive);
    const gauge = (of: Family, value: (operation: Operation) => number | undefined) =>
      family(of, samplesOf(live, value));
    return [
      family(own.operations, countsOf(all)),
      gauge(own.ratio, ({ fraction }) => fraction),
      gauge(own.done, (operation) => moved(operation).bytes?.done),
      gauge(own.expected, (operation) => moved(operation).bytes?.total),
      gauge(own.rate, ({ id }) => this.#rateOf(id)),
      gauge(own.eta, ({ eta }) => secondsOf(eta, "seconds")),
      gauge(own.etaLow, ({ eta }) => secondsOf(eta, "low")),
      gauge(own.etaHigh, ({ eta }) => secondsOf(eta, "high")),
      family(own.stalled, stallsOf(open.slice(0, maxLive))),
      this.#ended.text(),
      this.#durations.text(),
      this.#ratios.text(),
      this.#predictions.text(),
      family(
        own.unhandled,
        Object.entries(unhandledErrors()).map(([kind, value]) => ({ labels: { kind }, value })),
      ),
      this.#more?.text(all, this.#now()) ?? "",
    ].join("");
  }

  #take(id: string, operation: Operation | undefined): void {
    const known = this.#live.get(id);
    if (!operation) {
      this.#over.delete(id);
      return void this.#live.delete(id);
    }
    const live = known && known.uid === operation.ref.uid ? known : undefined;
    if (isTerminal(operation.state)) {
      const isKnown = this.#over.has(id) && this.#over.get(id) === operation.ref.uid;
      this.#live.delete(id);
      this.#over.set(id, operation.ref.uid);
      // What was over when this process began is not counted again at every start; what began and ended between two looks is.
      if (live || (!isKnown && isRunSince(this.#since, this.#observer.object?.(id), operation)))
        this.#end(operation, live);
      return;
    }
    this.#over.delete(id);
    this.#live.set(id, this.#advance(live, operation));
  }

  #advance(before: Live | undefined, operation: Operation): Live {
    const now = this.#now();
    return {
      uid: operation.ref.uid,
      meter: measure(before?.meter, operation, now),
      told: before?.told ?? toldAt(operation, now),
    };
  }

  #rateOf(id: string): number | undefined {
    const meter = this.#live.get(id)?.meter;
    return meter?.unit === "bytes" ? rateOf(meter, this.#now()) : undefined;
  }

  #end(operation: Operation, live: Live | undefined): void {
    const told = live?.told;
    const labels = { ...clusterOf(operation.ref), kind: operation.kind, state: operation.state };
    this.#ended.add(labels);
    const { startedAt, finishedAt = this.#now() } = operation;
    if (startedAt === undefined || finishedAt < startedAt) return;
    const seconds = (finishedAt - startedAt) / 1000;
    this.#durations.observe(labels, seconds);
    if (!told || operation.state !== "completed" || seconds === 0) return;
    this.#ratios.observe({ kind: operation.kind }, told.whole / seconds);
    const held = told.low <= seconds && seconds <= told.high;
    this.#predictions.add({ kind: operation.kind, held: String(held) });
  }
}

function toldAt({ fraction = 0, eta, startedAt }: Operation, nowMs: number): Live["told"] {
  if (fraction < 0.5 || !eta || "unknown" in eta || startedAt === undefined) return undefined;
  const passed = (nowMs - startedAt) / 1000;
  return { whole: passed + eta.seconds, low: passed + eta.low, high: passed + eta.high };
}

function countsOf(operations: readonly Operation[]): Sample[] {
  const counts = new Map<string, { readonly labels: Record<string, string>; value: number }>();
  for (const { ref, kind, state } of operations) {
    const labels = { ...clusterOf(ref), kind, state };
    const known = counts.get(JSON.stringify(labels)) ?? { labels, value: 0 };
    known.value += 1;
    counts.set(JSON.stringify(labels), known);
  }
  return [...counts.values()];
}

function samplesOf(
  operations: readonly Operation[],
  value: (operation: Operation) => number | undefined,
): Sample[] {
  return operations.flatMap((operation) => {
    const found = value(operation);
    return found === undefined ? [] : [{ labels: labelsOf(operation), value: found }];
  });
}

/** One series for each cause, whichever part it holds up. */
function stallsOf(operations: readonly Operation[]): Sample[] {
  return operations.flatMap((operation) => {
    const causes = new Set(stalledParts(operation).flatMap(({ stall }) => stall?.cause ?? []));
    return [...causes].map((cause) => ({ labels: { ...labelsOf(operation), cause }, value: 1 }));
  });
}

function labelsOf({ ref, kind }: Operation): Record<string, string> {
  return { ...clusterOf(ref), kind, namespace: ref.namespace ?? "", name: ref.name };
}

/** A label of its own only where there are several clusters: one keeps its series as they were. */
function clusterOf({ cluster }: Operation["ref"]): Record<string, string> {
  return cluster === undefined ? {} : { cluster };
}

function secondsOf(eta: Operation["eta"], bound: "seconds" | "low" | "high"): number | undefined {
  return eta && !("unknown" in eta) ? eta[bound] : undefined;
}
