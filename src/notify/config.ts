import { parse } from "yaml";
import { isRecord, parseGoDurationMs } from "../api/index.ts";
import { messageOf } from "../errors.ts";

/** What a receiver can be told. */
const eventWords = ["started", "stalled", "resumed", "late", "completed", "failed", "canceled"] as const;

/** One of the closed list of events. */
export type EventWord = (typeof eventWords)[number];

/** The forms in which a receiver can be told. */
const sinkTypes = ["cloudevents", "webhook", "slack", "teams", "alertmanager", "otlp"] as const;

/** A value in a Secret of the operator's namespace. */
export interface SecretKey {
  readonly name: string;
  readonly key: string;
}

/** What a receiver wants to hear; an empty list is everything. */
export interface Filter {
  readonly events: readonly string[];
  readonly kinds: readonly string[];
  /** Names, or patterns with `*`. */
  readonly namespaces: readonly string[];
  readonly outcomes: readonly string[];
}

/** One receiver. */
export interface Sink {
  readonly name: string;
  readonly type: (typeof sinkTypes)[number];
  readonly url: string | SecretKey;
  readonly headers: Readonly<Record<string, string | (SecretKey & { readonly prefix: string })>>;
  /** The certificate authority of the receiver, where the system does not know it. */
  readonly ca: SecretKey | undefined;
  readonly filter: Filter;
  /** At most so many requests in a minute. */
  readonly perMinute: number;
  /** How often a message is edited, or an alert repeated, while nothing but the numbers changes. */
  readonly everyMs: number;
  /** Of CloudEvents: everything in the body, or the attributes in headers. */
  readonly mode: "structured" | "binary";
  /** Of Slack, with a token: where messages are written. */
  readonly channel: string | undefined;
}

/** All that is told to whom. */
export interface NotifyConfig {
  /** A word for the cluster in messages. */
  readonly cluster: string | undefined;
  readonly sinks: readonly Sink[];
  /** What was not understood; a receiver with a fault is not told anything. */
  readonly faults: readonly string[];
}

const mostSinks = 20;
const everywhere = ["name", "type", "url", "urlFrom", "headers", "headersFrom", "caFrom", "perMinute"];
const filterKeys = ["events", "kinds", "namespaces", "outcomes"] as const;
const outcomes = ["completed", "partially-failed", "failed", "canceled", "skipped"];
const more: Readonly<Record<Sink["type"], readonly string[]>> = {
  cloudevents: ["mode"],
  webhook: [],
  slack: ["channel", "tokenFrom", "every"],
  teams: [],
  alertmanager: ["every"],
  otlp: [],
};
const usualEveryMs: Partial<Record<Sink["type"], number>> = { slack: 15_000, alertmanager: 60_000 };

/** Reads the text of the configuration. Nothing in it is a reason to throw: what is wrong is told beside what is right. */
export function parseConfig(text: string): NotifyConfig {
  let found: unknown;
  try {
    found = parse(text, { maxAliasCount: 0 });
  } catch (error) {
    return { cluster: undefined, sinks: [], faults: [`it is no YAML: ${messageOf(error).split("\n")[0]}`] };
  }
  if (found === null || found === undefined) return { cluster: undefined, sinks: [], faults: [] };
  if (!isRecord(found)) return { cluster: undefined, sinks: [], faults: ["it is no map"] };
  const faults: string[] = [...strangers(found, ["cluster", "sinks"])];
  const { cluster, sinks: given = [] } = found;
  if (cluster !== undefined && typeof cluster !== "string") faults.push("cluster is no text");
  if (!Array.isArray(given))
    return { cluster: undefined, sinks: [], faults: [...faults, "sinks is no list"] };
  if (given.length > mostSinks)
    faults.push(`there are ${given.length} sinks; the first ${mostSinks} are used`);
  const sinks: Sink[] = [];
  for (const [at, one] of given.slice(0, mostSinks).entries()) {
    const reader = new SinkReader(one, `sinks[${at}]`);
    const sink = reader.read(sinks.map(({ name }) => name));
    faults.push(...reader.faults);
    if (sink && reader.faults.length === 0) sinks.push(sink);
  }
  return { cluster: typeof cluster === "string" ? cluster : undefined, sinks, faults };
}

function strangers(given: Readonly<Record<string, unknown>>, known: readonly string[]): readonly string[] {
  return Object.keys(given)
    .filter((key) => !known.includes(key))
    .map((key) => `"${key}" is unknown; known are ${known.join(", ")}`);
}

class SinkReader {
  readonly faults: string[] = [];
  readonly #given: Readonly<Record<string, unknown>>;
  readonly #where: string;

  constructor(given: unknown, where: string) {
    this.#given = isRecord(given) ? given : {};
    const { name } = this.#given;
    this.#where = typeof name === "string" ? `sink "${name}"` : where;
  }

  read(taken: readonly string[]): Sink | undefined {
    const name = this.#text("name");
    const type = sinkTypes.find((one) => one === this.#given["type"]);
    if (name === undefined || !/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/.test(name))
      this.#fault("it needs a name of small letters, digits and dashes, at most 40");
    else if (taken.includes(name)) this.#fault("the name is taken");
    if (!type) return this.#fault(`its type must be one of ${sinkTypes.join(", ")}`);
    for (const fault of strangers(this.#given, [...everywhere, ...filterKeys, ...more[type]]))
      this.#fault(fault);
    const url = this.#url(type);
    if (name === undefined || url === undefined) return undefined;
    const [events = [], kinds = [], namespaces = [], ended = []] = filterKeys.map((key) => this.#texts(key));
    this.#among("events", events, eventWords);
    this.#among("outcomes", ended, outcomes);
    return {
      name,
      type,
      url,
      headers: this.#headers(),
      ca: this.#secret("caFrom"),
      filter: { events, kinds, namespaces, outcomes: ended },
      perMinute: this.#number("perMinute", 60, 1, 600),
      everyMs: this.#every(usualEveryMs[type] ?? 60_000),
      mode: this.#given["mode"] === "binary" ? "binary" : "structured",
      channel: this.#text("channel"),
    };
  }

  #fault(what: string): undefined {
    this.faults.push(`${this.#where}: ${what}`);
  }

  #text(key: string): string | undefined {
    const value = this.#given[key];
    if (value === undefined || (typeof value === "string" && value !== ""))
      return value as string | undefined; // looked at
    return this.#fault(`${key} is no text`);
  }

  #texts(key: string): readonly string[] {
    const value = this.#given[key] ?? [];
    if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
    this.#fault(`${key} is no list of words`);
    return [];
  }

  #among(key: string, given: readonly string[], known: readonly string[]): void {
    const odd = given.find((one) => !known.includes(one));
    if (odd !== undefined) this.#fault(`${key} has "${odd}"; known are ${known.join(", ")}`);
  }

  #number(key: string, otherwise: number, least: number, most: number): number {
    const value = this.#given[key] ?? otherwise;
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
    this.#fault(`${key} is no whole number from ${least} to ${most}`);
    return otherwise;
  }

  #every(otherwise: number): number {
    const text = this.#text("every");
    if (text === undefined) return otherwise;
    const ms = parseGoDurationMs(text);
    if (ms !== undefined && ms >= 1_000 && ms <= 3_600_000) return ms;
    this.#fault('every is no duration from "1s" to "1h"');
    return otherwise;
  }

  /** The address: a text, or a Secret where the address itself lets one in. Slack's own is known. */
  #url(type: Sink["type"]): string | SecretKey | undefined {
    const [url, from] = [this.#text("url"), this.#secret("urlFrom")];
    const token = this.#secret("tokenFrom");
    if (token && this.#text("channel") === undefined) this.#fault("a token needs a channel");
    if (url !== undefined && from) return this.#fault("either url or urlFrom");
    if (from) return from;
    if (url === undefined) {
      return token && type === "slack" ? "https://slack.com/api" : this.#fault("it needs url or urlFrom");
    }
    const parsed = URL.parse(url);
    if (!parsed || !["http:", "https:"].includes(parsed.protocol))
      return this.#fault("url is no address of http or https");
    if (parsed.username !== "" || parsed.password !== "")
      return this.#fault("url holds a password; put the address into a Secret and name it as urlFrom");
    return url;
  }

  #headers(): Sink["headers"] {
    const found: Record<string, string | (SecretKey & { prefix: string })> = {};
    const plain = this.#given["headers"] ?? {};
    if (!isRecord(plain)) this.#fault("headers is no map");
    else
      for (const [header, value] of Object.entries(plain)) {
        if (/^(authorization|cookie|x-api-key)$/i.test(header))
          this.#fault(`the header ${header} belongs into a Secret: headersFrom`);
        else if (typeof value !== "string" || !/^[\w-]+$/.test(header) || /[\r\n]/.test(value))
          this.#fault("headers has a value that is no text of one line");
        else found[header] = value;
      }
    const list = this.#given["headersFrom"] ?? [];
    if (!Array.isArray(list)) this.#fault("headersFrom is no list");
    else
      for (const one of list as unknown[]) {
        const { header, name, key, prefix = "" } = isRecord(one) ? one : {};
        if (
          [header, name, key, prefix].every((part) => typeof part === "string") &&
          /^[\w-]+$/.test(String(header))
        )
          found[String(header)] = { name: String(name), key: String(key), prefix: String(prefix) };
        else this.#fault("headersFrom needs header, name and key each");
      }
    const token = this.#secret("tokenFrom");
    if (token) found["Authorization"] = { ...token, prefix: "Bearer " };
    return found;
  }

  #secret(key: string): SecretKey | undefined {
    const value = this.#given[key];
    if (value === undefined) return undefined;
    if (isRecord(value) && typeof value["name"] === "string" && typeof value["key"] === "string")
      return { name: value["name"], key: value["key"] };
    return this.#fault(`${key} needs name and key of a Secret`);
  }
}
