import type { Observer } from "../observe/index.ts";
import {
  isTerminal,
  type Meter,
  measure,
  moved,
  type Operation,
  rateOf,
  stalledParts,
} from "../progress/index.ts";
import { unhandledErrors } from "../wire/index.ts";
import { family, Histogram, type Sample } from "./exposition.ts";

/** Live series of so many operations; the rest are counted in `headway_operations` alone. */
const maxLive = 1_000;
const durations = [1, 5, 15, 60, 300, 900, 3_600, 3 * 3_600, 12 * 3_600];
const ratios = [0.25, 0.5, 0.8, 0.9, 1, 1.1, 1.25, 2, 4];

interface Live {
  readonly uid: string | undefined;
  readonly meter: Meter | undefined;
  /** What was told when half was done: seconds the whole would take, and between which bounds. */
  readonly told: { readonly whole: number; readonly low: number; readonly high: number } | undefined;
}

/** What Prometheus may know of the operations. Live series go with the operation, so that old ones cost nothing. */
export class Metrics {
  readonly #observer: Pick<Observer, "subscribe" | "operations">;
  readonly #now: () => number;
  /** Bounded by the operations that are not over. */
  readonly #live = new Map<string, Live>();
  readonly #ended = new Map<string, { readonly labels: Record<string, string>; count: number }>();
  readonly #predictions = new Map<string, { readonly labels: Record<string, string>; count: number }>();
  readonly #durations = new Histogram(
    "headway_operation_duration_seconds",
    "How long operations took from start to end",
    durations,
  );
  readonly #ratios = new Histogram(
    "headway_operation_predicted_duration_ratio",
    "Duration told when half was done, divided by the real one",
    ratios,
  );
  readonly #leave: () => void;

  constructor(observer: Pick<Observer, "subscribe" | "operations">, now: () => number) {
    this.#observer = observer;
    this.#now = now;
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
    const gauge = (name: string, help: string, value: (operation: Operation) => number | undefined) =>
      family(`headway_operation_${name}`, "gauge", help, samplesOf(live, value));
    return [
      family(
        "headway_operations",
        "gauge",
        "Operations that the cluster holds, by kind and state",
        countsOf(all),
      ),
      gauge("progress_ratio", "Share that is done, 0 to 1", ({ fraction }) => fraction),
      gauge("done_bytes", "Bytes that are done", (operation) => moved(operation).bytes?.done),
      gauge("expected_bytes", "Bytes to do, as far as known", (operation) => moved(operation).bytes?.total),
      gauge(
        "bytes_per_second",
        "Bytes a second over the last half minute, as every view shows it",
        ({ id }) => this.#rateOf(id),
      ),
      gauge("eta_seconds", "Seconds left, where that can be said", ({ eta }) => secondsOf(eta, "seconds")),
      gauge("eta_low_seconds", "Lower end of the range of seconds left", ({ eta }) => secondsOf(eta, "low")),
      gauge("eta_high_seconds", "Upper end of the range of seconds left", ({ eta }) =>
        secondsOf(eta, "high"),
      ),
      family(
        "headway_operation_stalled",
        "gauge",
        "1 while an operation or a part of it stands still, by cause",
        stallsOf(open.slice(0, maxLive)),
      ),
      family("headway_operations_ended_total", "counter", "Operations that ended", totals(this.#ended)),
      this.#durations.text(),
      this.#ratios.text(),
      family(
        "headway_operation_predictions_total",
        "counter",
        "Operations by whether the range told when half was done held",
        totals(this.#predictions),
      ),
      family(
        "headway_unhandled_errors_total",
        "counter",
        "Errors of this process that nobody handled, each of them a fault of the program",
        Object.entries(unhandledErrors()).map(([kind, value]) => ({ labels: { kind }, value })),
      ),
    ].join("");
  }

  #take(id: string, operation: Operation | undefined): void {
    const known = this.#live.get(id);
    if (!operation) return void this.#live.delete(id);
    const live = known && known.uid === operation.ref.uid ? known : undefined;
    if (isTerminal(operation.state)) {
      this.#live.delete(id);
      // What was over when this process began is not counted again at every start.
      if (live) this.#end(operation, live);
      return;
    }
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

  #end(operation: Operation, { told }: Live): void {
    const labels = { ...clusterOf(operation.ref), kind: operation.kind, state: operation.state };
    add(this.#ended, labels);
    const { startedAt, finishedAt = this.#now() } = operation;
    if (startedAt === undefined || finishedAt < startedAt) return;
    const seconds = (finishedAt - startedAt) / 1000;
    this.#durations.observe(labels, seconds);
    if (!told || operation.state !== "completed" || seconds === 0) return;
    this.#ratios.observe({ kind: operation.kind }, told.whole / seconds);
    const held = told.low <= seconds && seconds <= told.high;
    add(this.#predictions, { kind: operation.kind, held: String(held) });
  }
}

function toldAt({ fraction = 0, eta, startedAt }: Operation, nowMs: number): Live["told"] {
  if (fraction < 0.5 || !eta || "unknown" in eta || startedAt === undefined) return undefined;
  const passed = (nowMs - startedAt) / 1000;
  return { whole: passed + eta.seconds, low: passed + eta.low, high: passed + eta.high };
}

function add(
  map: Map<string, { readonly labels: Record<string, string>; count: number }>,
  labels: Record<string, string>,
) {
  const key = JSON.stringify(labels);
  const known = map.get(key) ?? { labels, count: 0 };
  known.count += 1;
  map.set(key, known);
}

function totals(
  map: ReadonlyMap<string, { readonly labels: Record<string, string>; readonly count: number }>,
): Sample[] {
  return [...map.values()].map(({ labels, count }) => ({ labels, value: count }));
}

function countsOf(operations: readonly Operation[]): Sample[] {
  const counts = new Map<string, { labels: Record<string, string>; count: number }>();
  for (const { ref, kind, state } of operations) add(counts, { ...clusterOf(ref), kind, state });
  return totals(counts);
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
