import { type Context, type Hono } from "hono";
import { cancelAnnotation, type KubeObject, kinds } from "../api/index.ts";
import { ApiError, builtIn, type Client, type Resource, resourceOf } from "../kube/index.ts";
import type { Observer } from "../observe/index.ts";
import { isTerminal, type Operation, type Ref } from "../progress/index.ts";
import { answer } from "./answer.ts";
import { type ChoiceKind, type CreatableKind, choiceKinds, creatableKinds, kindNamed } from "./wishes.ts";

/** What the server may do in the cluster besides watching it. */
export interface ClusterPart {
  readonly client: Pick<Client, "get" | "list" | "create" | "patch">;
  /** Whether things may be started and canceled; the right of each caller is asked for besides. */
  readonly writes: boolean;
  /** The log of an operation's object; undefined when there is none. */
  readonly readLog?: (ref: Ref, signal: AbortSignal) => Promise<string | undefined>;
}

/** Something that happened to an object, as the page lists it. */
interface EventLine {
  /** Epoch ms. */
  readonly at: number;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly object: string;
}

/** Something to choose in a form. */
interface Choice {
  readonly namespace?: string;
  readonly name: string;
  /** What tells one from another: a phase, the actions of a blueprint, the namespaces of a plan. */
  readonly notes: readonly string[];
}

const events: Resource = builtIn.events;
const namespaces: Resource = builtIn.namespaces;
/** Parts of an operation whose events are looked for: what runs or went wrong comes first. */
const maxParts = 20;
const maxEvents = 200;
const maxChoices = 2_000;
const maxBodyChars = 100_000;
/** What is shown of a log: its end. */
const maxLogChars = 1_000_000;

/** Adds the routes that ask the cluster: objects, events, logs, choices; and with `writes` create and cancel. */
export function addClusterRoutes(app: Hono, part: ClusterPart, observer: Pick<Observer, "operation">): void {
  const { client, writes } = part;
  app.get("/api/objects/:kind/:namespace/:name", async (c) => {
    const kind = kindNamed(c.req.param("kind"));
    if (!kind) return answer(404, "NOT_FOUND", "there is no such kind");
    const { namespace, name } = c.req.param();
    const object = await client.get<KubeObject>(
      resourceOf(kinds[kind]),
      name,
      { namespace },
      c.req.raw.signal,
    );
    const { managedFields: _, ...metadata } = object.metadata;
    return c.json({ ...object, metadata });
  });
  app.get("/api/operations/:namespace/:kind/:name/events", async (c) => {
    const found = find(observer, c);
    return found ? c.json({ events: await eventsOf(client, found, c.req.raw.signal) }) : unknown(c);
  });
  app.get("/api/operations/:namespace/:kind/:name/log", async (c) => {
    const found = find(observer, c);
    if (!found) return unknown(c);
    const text = await part.readLog?.(found.ref, c.req.raw.signal);
    return text === undefined
      ? answer(404, "NO_LOG", "no log was kept of this operation")
      : c.text(text.slice(-maxLogChars));
  });
  app.get("/api/choices/:kind", async (c) => {
    const kind = choiceKinds.find((known) => known === c.req.param("kind"));
    if (!kind) return answer(404, "NOT_FOUND", "there is nothing to choose of that kind");
    return c.json({ choices: await choicesOf(client, kind, c.req.query("namespace"), c.req.raw.signal) });
  });
  if (writes) addWrites(app, client, observer);
}

function addWrites(app: Hono, client: ClusterPart["client"], observer: Pick<Observer, "operation">): void {
  app.post("/api/operations/:namespace/:kind/:name/cancel", async (c) => {
    const found = find(observer, c);
    const kind = creatable(found?.ref.kind ?? "");
    if (!found || !kind) return unknown(c);
    if (isTerminal(found.state)) return answer(409, "OVER", `${found.title} has ended already`);
    const { namespace, name } = found.ref;
    const patch = { type: "merge", body: cancelBody(kind) } as const;
    await client.patch(resourceOf(kinds[kind]), name, patch, { namespace }, c.req.raw.signal);
    return c.json({ canceled: found.id });
  });
  app.post("/api/objects/:kind/:namespace", async (c) => {
    const kind = creatable(c.req.param("kind"));
    const object = kind && readManifest(await c.req.text(), kind, c.req.param("namespace"));
    if (!object)
      return answer(400, "MANIFEST", "this is not an object of the kind and namespace of the path");
    const made = await client.create<KubeObject>(resourceOf(kinds[kind]), object, {}, c.req.raw.signal);
    return c.json({ kind, namespace: made.metadata.namespace, name: made.metadata.name }, 201);
  });
}

/** What asks an engine to stop: MTC has a field for it, the others take Headway's annotation. */
function cancelBody(kind: CreatableKind): object {
  return kind === "MigMigration"
    ? { spec: { canceled: true } }
    : { metadata: { annotations: { [cancelAnnotation]: "true" } } };
}

function creatable(name: string): CreatableKind | undefined {
  return creatableKinds.find((kind) => kind.toLowerCase() === name.toLowerCase());
}

/** The manifest of a body: its kind and namespace are those of the path, whose right was asked for. */
function readManifest(text: string, kind: CreatableKind, namespace: string): KubeObject | undefined {
  if (text.length > maxBodyChars) return undefined;
  try {
    const read = JSON.parse(text) as Partial<KubeObject> & { readonly spec?: unknown }; // each part is looked at below
    const { name, labels, annotations, generateName } = read.metadata ?? {};
    const { group, version } = kinds[kind];
    if (read.kind !== kind || read.apiVersion !== `${group}/${version}`) return undefined;
    if (read.metadata?.namespace !== namespace || (!name && !generateName)) return undefined;
    const metadata = { namespace, name, generateName, labels, annotations };
    return JSON.parse(JSON.stringify({ apiVersion: read.apiVersion, kind, metadata, spec: read.spec }));
  } catch {
    return undefined; // the caller is told that this is no object
  }
}

async function eventsOf(
  client: ClusterPart["client"],
  operation: Operation,
  signal: AbortSignal,
): Promise<readonly EventLine[]> {
  const refs = new Map<string, Ref>();
  for (const { ref } of byUrgency(operation)) {
    if (ref.uid !== undefined && refs.size < maxParts && ref.cluster === operation.ref.cluster)
      refs.set(ref.uid, ref);
  }
  const lists = await Promise.all(
    [...refs].map(([uid, ref]) =>
      client.list<KubeEvent>(
        events,
        { namespace: ref.namespace, fieldSelector: `involvedObject.uid=${uid}`, limit: maxEvents },
        signal,
      ),
    ),
  );
  return lists
    .flat()
    .map(lineOf)
    .toSorted((a, b) => b.at - a.at)
    .slice(0, maxEvents);
}

type KubeEvent = KubeObject & {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
};

function lineOf(event: KubeEvent): EventLine {
  const { series, involvedObject } = event;
  const time =
    series?.lastObservedTime ??
    event.lastTimestamp ??
    event.eventTime ??
    event.metadata.creationTimestamp ??
    "";
  return {
    at: Date.parse(time) || 0,
    type: event.type ?? "Normal",
    reason: event.reason ?? "",
    message: event.message ?? "",
    count: series?.count ?? event.count ?? 1,
    object: `${involvedObject?.kind ?? ""} ${involvedObject?.name ?? ""}`.trim(),
  };
}

/** The operation, then its parts: those that run or failed before the rest. */
function byUrgency(operation: Operation): readonly Operation[] {
  const flat = (part: Operation): readonly Operation[] => [part, ...part.children.flatMap(flat)];
  const rank = ({ state, stall }: Operation) =>
    stall || state === "failed" ? 0 : state === "running" ? 1 : 2;
  return [operation, ...operation.children.flatMap(flat).toSorted((a, b) => rank(a) - rank(b))];
}

async function choicesOf(
  client: ClusterPart["client"],
  kind: ChoiceKind,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly Choice[]> {
  const resource = kind === "Namespace" ? namespaces : resourceOf(kinds[kind]);
  const query = kind === "Namespace" || namespace === undefined ? {} : { namespace };
  const found = await client.list<Listed>(resource, query, signal);
  return found
    .map((object) => ({
      ...(object.metadata.namespace && { namespace: object.metadata.namespace }),
      name: object.metadata.name,
      notes: notesOf(object, kind),
    }))
    .slice(0, maxChoices);
}

type Listed = KubeObject & {
  readonly actions?: Readonly<Record<string, unknown>>;
  readonly spec?: { readonly namespaces?: readonly string[] };
  readonly status?: { readonly phase?: string };
};

function notesOf(object: Listed, kind: ChoiceKind): readonly string[] {
  switch (kind) {
    case "Blueprint":
      return Object.keys(object.actions ?? {});
    case "MigPlan":
      return object.spec?.namespaces ?? [];
    default:
      return object.status?.phase ? [object.status.phase] : [];
  }
}

function find(observer: Pick<Observer, "operation">, c: Context): Operation | undefined {
  const { namespace = "", kind = "", name = "" } = c.req.param();
  return observer.operation(`${kind.toLowerCase()}/${namespace}/${name}`);
}

function unknown(c: Context): Response {
  const { namespace, kind, name } = c.req.param();
  return answer(404, "NOT_FOUND", `there is no ${kind} "${namespace}/${name}"`);
}

/** What the cluster said no to is told as it is; anything else is ours. */
export function answerError(error: unknown): Response {
  if (!(error instanceof ApiError)) return answer(500, "INTERNAL", "the server failed to answer");
  const { code, reason, message } = error.status;
  return answer(code >= 400 && code < 600 ? code : 502, reason || "CLUSTER", message);
}
