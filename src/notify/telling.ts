import {
  adviceOf,
  doneWords,
  formatEta,
  formatPercent,
  headline,
  isTerminal,
  type Operation,
  stalledPart,
  stateWords,
  summary,
  titleOf,
} from "../progress/index.ts";
import type { EventWord, Sink } from "./config.ts";
import type { Told } from "./told.ts";

/** What is told: an event, a change of the numbers alone, or a test by a person. */
export interface Telling {
  readonly event: EventWord | "moved" | "test";
  readonly operation: Operation;
  /** Epoch ms. */
  readonly atMs: number;
  readonly cluster: string | undefined;
  /** The operator's namespace. */
  readonly namespace: string;
  /** The namespaces that the operation is about. */
  readonly about: readonly string[];
  /** What the receiver knew before. */
  readonly told: Told;
}

/** A receiver with its secrets read. */
export interface OpenSink extends Pick<Sink, "name" | "type" | "mode" | "channel" | "everyMs"> {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One request to a receiver. */
export interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a receiver answered. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** How one type of receivers is told. */
export interface Form {
  /** Nothing where the event is none for such a receiver. */
  compose(telling: Telling, sink: OpenSink): Outgoing | undefined;
  /** What is to be remembered of the answer; throws `Refused` where a good status holds a refusal. */
  accept?(answer: Answer, telling: Telling): Partial<Told>;
  /** What a message shows while nothing but the numbers changes; absent where nothing is edited or repeated now. */
  shows?(telling: Telling): string | undefined;
}

const longest = 1_000;

/** One event of one operation has one name, however often it is sent: receivers can tell a second one. */
export function idOf({ event, operation, atMs, told }: Telling): string {
  const { ref, id } = operation;
  const name = `${ref.uid ?? id}.${event}`;
  // Stalls come and go; each has its beginning.
  if (event === "stalled") return `${name}.${Math.round(stalledPart(operation)?.stall?.since ?? atMs)}`;
  if (event === "resumed") return `${name}.${Math.round(told.stalled ?? atMs)}`;
  return event === "moved" || event === "test" ? `${name}.${Math.round(atMs)}` : name;
}

/** The sentence on it, for people. */
export function sentenceOf({ event, operation, atMs }: Telling): string {
  const title = titleOf(operation);
  switch (event) {
    case "started":
      return `${title} has started`;
    case "stalled": {
      const advice = adviceOf(operation);
      return short(`${title}: ${headline(operation, atMs)}${advice === undefined ? "" : `. ${advice}`}`);
    }
    case "resumed":
      return `${title} moves again`;
    case "late":
      return short(
        `${title} is later than expected: ${[doneWords(operation), headline(operation, atMs)].filter(Boolean).join(", ")}`,
      );
    case "completed":
    case "failed":
    case "canceled":
      return short(summary(operation));
    case "moved":
      return short(`${title}: ${headline(operation, atMs)}`);
    case "test":
      return `${title}: this receiver can be reached`;
  }
}

/** `█████░░░░░ 52%, about 3 min left`: how far it is, on one line. */
export function barOf(operation: Operation, atMs: number, width = 20): string {
  if (isTerminal(operation.state)) return headline(operation);
  const { fraction, eta } = operation;
  if (fraction === undefined) return headline(operation, atMs) || stateWords[operation.state];
  const full = Math.min(width, Math.floor(fraction * width));
  const left = stalledPart(operation) ? headline(operation, atMs) : eta ? formatEta(eta) : "";
  const bar = "█".repeat(full) + "░".repeat(width - full);
  return short([`${bar} ${formatPercent(fraction)}`, left].filter(Boolean).join(", "));
}

/** The facts on it, for machines. Unknown is absent. */
export function factsOf(telling: Telling): Readonly<Record<string, unknown>> {
  const { event, operation, cluster, about } = telling;
  const { ref, kind, state, fraction, progress, eta, startedAt, finishedAt, message, warnings, errors } =
    operation;
  const part = stalledPart(operation);
  return present({
    event,
    cluster,
    text: sentenceOf(telling),
    title: titleOf(operation),
    kind: ref.kind,
    operation: kind,
    namespace: ref.namespace,
    name: ref.name,
    uid: ref.uid,
    namespaces: about,
    state,
    share: fraction,
    progress: progress && present({ done: progress.done, total: progress.total, unit: progress.unit }),
    secondsLeft:
      eta && !("unknown" in eta) ? { likely: eta.seconds, low: eta.low, high: eta.high } : undefined,
    startedAt: timeOf(startedAt),
    finishedAt: timeOf(finishedAt),
    stall: part?.stall && { cause: part.stall.cause, since: timeOf(part.stall.since), part: titleOf(part) },
    message: message === undefined ? undefined : short(message),
    warnings,
    errors,
  });
}

/** An operation whose texts went through a filter for secret values. */
export function maskedOperation(operation: Operation, mask: (text: string) => string): Operation {
  const { title, message, children } = operation;
  return {
    ...operation,
    title: mask(title),
    ...(message !== undefined && { message: mask(message) }),
    children: children.map((child) => maskedOperation(child, mask)),
  };
}

/** An epoch ms as the text that JSON formats take. */
export function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined || !Number.isFinite(ms) ? undefined : new Date(ms).toISOString();
}

/** A map without what is unknown. */
export function present(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function short(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
