import { type Context, type Hono } from "hono";
import { type KubeObject, kinds } from "../api/index.ts";
import { AppError, messageOf } from "../errors.ts";
import {
  cancelPatch,
  needsLook,
  type PlannedItem,
  type RestorePlan,
  type RootName,
  rootKinds,
} from "../kinds/index.ts";
import { ApiError, builtIn, type Resource, resourceOf } from "../kube/index.ts";
import { type Choice, type ClusterState, type EventLine, idIn, type Observer } from "../observe/index.ts";
import { isTerminal, type Operation, type Ref } from "../progress/index.ts";
import { type ChoiceKind, choiceKinds, kindNamed } from "./access-requests.ts";
import { answer } from "./answer.ts";
import { addBackupRoutes, type BackupEngine } from "./backup-routes.ts";
import { readBoard } from "./board-read.ts";
import { type Actors, acting, type PageClient, tokenOf } from "./caller.ts";
import { type LeftBehind, readLeftBehind, readRemarks } from "./left-behind.ts";

/** What may be asked of one cluster and done in it, besides watching it. */
export interface ClusterPart extends Actors {
  /** Whether things may be started and canceled; the right of each caller is asked for besides. */
  readonly writes: boolean;
  /** Fails when the cluster does not answer. */
  readonly reach?: (signal: AbortSignal) => Promise<unknown>;
  /** Reads a file that an operation left in the object store; undefined when there is none. */
  readonly readFile?: typeof readLeftBehind;
  /** What a Restore would do, found out with the rights of a token, or with the server's where there is none. */
  readonly planRestore?: PlanRestore | undefined;
  /** Where the operator of this process serves links, when it does; another process knows their form only. */
  readonly downloads?: (() => string | undefined) | undefined;
  /** What the engine of backups knows; without it schedules are not planned and backups not deleted. */
  readonly backups?: BackupEngine;
}

/** The clusters of a server by name; a single one has none. */
export type ClusterParts = ReadonlyMap<string, ClusterPart>;

/** Finds out what a Restore would do; nothing is changed by it. */
export type PlanRestore = (
  restore: KubeObject,
  token: string | undefined,
  signal: AbortSignal,
) => Promise<RestorePlan>;

const events: Resource = builtIn.events;
const namespaces: Resource = builtIn.namespaces;
/** Parts of an operation whose events are looked for: what runs or went wrong comes first. */
const maxParts = 20;
const maxEvents = 200;
const maxChoices = 2_000;
/** Items of a plan that are sent; the rest is counted. */
const maxPlanned = 500;
/** A plan asks the API server about each item; a page waits no longer than this for it. */
const planMs = 300_000;
/** How long a cluster may take to say that it is there. */
const reachMs = 5_000;

/** Adds the routes that ask a cluster: objects, events, files, choices; and with `writes` create and cancel. */
export function addClusterRoutes(
  app: Hono,
  parts: ClusterParts,
  observer: Pick<Observer, "operation">,
): void {
  app.get("/api/clusters", async (c) => c.json({ clusters: await reachOf(parts, c.req.raw.signal) }));
  app.get("/api/board", async (c) => {
    const part = partOf(parts, c);
    if (!part) return answer(404, "NOT_FOUND", "there is no such cluster");
    return c.json(
      await acting(part, c, (client, signal) => readBoard(client, part.backups?.upcoming, signal)),
    );
  });
  app.get("/api/objects/:kind/:namespace/:name", async (c) => {
    const kind = kindNamed(c.req.param("kind"));
    const part = partOf(parts, c);
    if (!kind || !part) return answer(404, "NOT_FOUND", "there is no such kind or cluster");
    const { namespace, name } = c.req.param();
    const object = await acting(part, c, (client, signal) =>
      client.get<KubeObject>(resourceOf(kinds[kind]), name, { namespace }, signal),
    );
    const { managedFields: _, ...metadata } = object.metadata;
    return c.json({ ...object, metadata });
  });
  app.get("/api/operations/:namespace/:kind/:name/events", async (c) => {
    const [found, part] = [find(observer, c), partOf(parts, c)];
    if (!found || !part) return unknown(c);
    return c.json({
      events: await acting(part, c, (client, signal) => eventsOf(client, found, signal)),
    });
  });
  app.get("/api/operations/:namespace/:kind/:name/log", async (c) => {
    const text = await leftBehind(parts, observer, c, "log");
    if (text instanceof Response) return text;
    return text === undefined ? answer(404, "NO_LOG", "no log was kept of this operation") : c.text(text);
  });
  app.get("/api/operations/:namespace/:kind/:name/results", async (c) => {
    const text = await leftBehind(parts, observer, c, "results");
    if (text instanceof Response) return text;
    return text === undefined
      ? answer(404, "NO_RESULTS", "no results were kept of this operation")
      : c.json(readRemarks(text));
  });
  app.get("/api/choices/:kind", async (c) => {
    const kind = choiceKinds.find((known) => known === c.req.param("kind"));
    const part = partOf(parts, c);
    if (!kind || !part) return answer(404, "NOT_FOUND", "there is nothing to choose of that kind");
    const namespace = c.req.query("namespace");
    return c.json({
      choices: await acting(part, c, (client, signal) => choicesOf(client, kind, namespace, signal)),
    });
  });
  addPlan(app, parts);
  if ([...parts.values()].some(({ writes }) => writes)) addWrites(app, parts, observer);
}

function addPlan(app: Hono, parts: ClusterParts): void {
  app.post("/api/plans/restore/:namespace", async (c) => {
    const part = partOf(parts, c);
    const object = readManifest(await c.req.text(), "Restore", c.req.param("namespace"));
    if (!object || !part?.planRestore)
      return answer(400, "MANIFEST", "this is not a Restore of the namespace of the path");
    const either = AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(planMs)]);
    const plan = await part.planRestore(object, part.as && tokenOf(c.req.raw), either);
    // The page shows what needs a look first; the command lists everything.
    const rank = ({ verdict }: PlannedItem) => (needsLook(verdict) ? 0 : 1);
    const items = plan.items.toSorted((a, b) => rank(a) - rank(b)).slice(0, maxPlanned);
    return c.json({ ...plan, items, moreItems: plan.moreItems + plan.items.length - items.length });
  });
}

/** The part that a request means: the one that it names, or the only one. */
function partOf(parts: ClusterParts, c: Context): ClusterPart | undefined {
  return parts.get(c.req.query("cluster") ?? "");
}

async function reachOf(parts: ClusterParts, signal: AbortSignal): Promise<readonly ClusterState[]> {
  return Promise.all(
    [...parts].map(async ([name, { reach }]) => {
      try {
        await reach?.(AbortSignal.any([signal, AbortSignal.timeout(reachMs)]));
        return { name };
      } catch (error) {
        return { name, error: messageOf(error) };
      }
    }),
  );
}

async function leftBehind(
  parts: ClusterParts,
  observer: Pick<Observer, "operation">,
  c: Context,
  what: LeftBehind,
): Promise<string | Response | undefined> {
  const [found, part] = [find(observer, c), partOf(parts, c)];
  if (!found || !part) return unknown(c);
  const read = part.readFile ?? readLeftBehind;
  // The person's rights ask for the link; the server's own make sure that it is one of the location.
  const check = { client: part.client, downloads: part.downloads };
  return acting(part, c, (client, signal) => read(client, found.ref, what, check, signal));
}

function addWrites(app: Hono, parts: ClusterParts, observer: Pick<Observer, "operation">): void {
  addBackupRoutes(app, (c) => partOf(parts, c));
  app.post("/api/operations/:namespace/:kind/:name/cancel", async (c) => {
    const [found, part] = [find(observer, c), partOf(parts, c)];
    const kind = creatable(found?.ref.kind ?? "");
    if (!found || !kind || !part) return unknown(c);
    if (!part.writes) return answer(403, "READ_ONLY", "this server starts and cancels nothing");
    if (isTerminal(found.state)) return answer(409, "OVER", `${found.title} has ended already`);
    const { namespace, name } = found.ref;
    const patch = { type: "merge", body: cancelPatch(kind) } as const;
    await acting(part, c, (client, signal) =>
      client.patch(resourceOf(kinds[kind]), name, patch, { namespace }, signal),
    );
    return c.json({ canceled: found.id });
  });
  app.post("/api/objects/:kind/:namespace", async (c) => {
    const [kind, part] = [creatable(c.req.param("kind")), partOf(parts, c)];
    const object = kind && readManifest(await c.req.text(), kind, c.req.param("namespace"));
    if (!object || !part)
      return answer(400, "MANIFEST", "this is not an object of the kind and namespace of the path");
    if (!part.writes) return answer(403, "READ_ONLY", "this server starts and cancels nothing");
    const made = await acting(part, c, (client, signal) =>
      client.create<KubeObject>(resourceOf(kinds[kind]), object, {}, signal),
    );
    return c.json({ kind, namespace: made.metadata.namespace, name: made.metadata.name }, 201);
  });
}

function creatable(name: string): RootName | undefined {
  return rootKinds.find((kind) => kind.toLowerCase() === name.toLowerCase());
}

/** The manifest of a body: its kind and namespace are those of the path, whose right was asked for. */
function readManifest(text: string, kind: RootName, namespace: string): KubeObject | undefined {
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
  client: PageClient,
  operation: Operation,
  signal: AbortSignal,
): Promise<readonly EventLine[]> {
  const refs = new Map<string, Ref>();
  for (const { ref } of byUrgency(operation)) {
    // Parts on another cluster, as a migration has them, have their events there.
    const isHere = ref.cluster === undefined || ref.cluster === operation.ref.cluster;
    if (ref.uid !== undefined && refs.size < maxParts && isHere) refs.set(ref.uid, ref);
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
  client: PageClient,
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
  return observer.operation(idIn(c.req.query("cluster"), `${kind.toLowerCase()}/${namespace}/${name}`));
}

function unknown(c: Context): Response {
  const { namespace, kind, name } = c.req.param();
  return answer(404, "NOT_FOUND", `there is no ${kind} "${namespace}/${name}"`);
}

/** What the cluster said no to, or a person can act on, is told as it is; anything else is ours. */
export function answerError(error: unknown): Response {
  if (!(error instanceof ApiError)) {
    if (error instanceof AppError) return answer(502, error.code, error.message);
    return answer(500, "INTERNAL", "the server failed to answer");
  }
  const { code, reason, message } = error.status;
  return answer(code >= 400 && code < 600 ? code : 502, reason || "CLUSTER", message);
}
