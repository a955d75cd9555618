import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "../../../src/api/index.ts";
import { heldBack } from "../../../src/engines/podvolume/index.ts";
import { type PodVolumeRestores, planRestore } from "../../../src/engines/restore/index.ts";
import { isRunEnded, type PlannedItem, type RestorePlan } from "../../../src/kinds/index.ts";
import {
  builtIn,
  type Client,
  connectTo,
  type DiscoveredResource,
  isNotFound,
  type Resource,
  resourceOf,
  systemClock,
} from "../../../src/kube/index.ts";
import { backupKey } from "../../../src/store/index.ts";
import { eventually } from "../../harness/eventually.ts";
import { FaultProxy } from "../../harness/fault-proxy.ts";
import { changed, held, type Situation, situationOf } from "../../harness/restore-situations.ts";
import { archiveOf, RestoreStage, type Thing } from "../../harness/restore-stage.ts";

// The plan of a restore says what the restore then does: each situation is set up, planned, restored and compared.

const situations = 60;

let stage: RestoreStage;
const clusterWide: [DiscoveredResource, string][] = [];
const heldThings: [DiscoveredResource, Thing][] = [];
const stop = new AbortController();
let controller: Promise<void>;
beforeAll(async () => {
  stage = await RestoreStage.open();
  controller = stage.start(stop.signal, { podVolumes }).done;
});
afterAll(async () => {
  stop.abort();
  await controller;
  for (const [resource, { metadata }] of heldThings) {
    const place = { namespace: metadata.namespace };
    const body = { metadata: { finalizers: null } };
    await stage.client.patch(resource, metadata.name, { type: "merge", body }, place).catch(goneIsFine);
  }
  for (const [resource, name] of clusterWide) await stage.client.delete(resource, name).catch(goneIsFine);
  await stage.close();
});

function goneIsFine(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

const prepare: PodVolumeRestores["prepare"] = (whole, signal) =>
  heldBack({ client: stage.client, namespace: stage.namespace, helperImage: "busybox" }, whole, signal);
const podVolumes: PodVolumeRestores = {
  prepare,
  start: async () => undefined,
  watch: async () => undefined,
  wait: async () => [],
  cancel: async () => undefined,
};

/** What the plan knows and what the restore left behind, by type and place of each item. */
async function planned(name: string, spec: object, client = stage.client): Promise<RestorePlan> {
  return planRestore(
    {
      apiVersion: "velero.io/v1",
      kind: "Restore",
      metadata: { name, namespace: stage.namespace },
      spec,
    },
    {
      client,
      namespace: stage.namespace,
      clock: systemClock,
      read: async (file, backup) => {
        const key = backupKey(backup, file);
        return (await stage.store.head(key)) && stage.store.get(key);
      },
      prepare,
      hasSnapshotter: false,
    },
    new AbortController().signal,
  );
}

async function setUp(situation: Situation): Promise<object> {
  const { name, target, items } = situation;
  await stage.backup(name, archiveOf(items));
  for (const copy of situation.podVolumeBackups)
    await stage.client.create(resourceOf(kinds.PodVolumeBackup), copy, { namespace: stage.namespace });
  const served = (await stage.client.discover()).resources;
  const servedAs = (type: string) =>
    served.find(({ group, plural }) => (group === "" ? plural : `${plural}.${group}`) === type);
  if (situation.isTargetThere)
    await stage.create(builtIn.namespaces, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: target },
    });
  for (const { type, thing, there } of items) {
    const resource = servedAs(type);
    if (there === "nothing" || !resource) continue;
    const { uid: _uid, creationTimestamp: _at, ...metadata } = thing.metadata;
    const same = { ...thing, metadata: { ...metadata, namespace: target } };
    const one = there.startsWith("other") ? changed(same) : same;
    const isFinalizing = there.endsWith("finalizing");
    const made = await create(resource, isFinalizing ? held(one) : one);
    if (!made || !isFinalizing) continue;
    heldThings.push([resource, made]);
    await stage.client.delete(resource, made.metadata.name, { namespace: target, gracePeriodSeconds: 0 });
  }
  for (const { type, thing } of items) {
    const resource = servedAs(type);
    if (thing.metadata.namespace === undefined && resource) clusterWide.push([resource, thing.metadata.name]);
  }
  if (situation.modifiers === undefined) return {};
  await stage.create(builtIn.configMaps, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `rules-${name}`, namespace: stage.namespace },
    data: { rules: situation.modifiers },
  });
  return { resourceModifier: { kind: "ConfigMap", name: `rules-${name}` } };
}

/** Makes what may not be makeable: a pod whose account is not there. */
async function create(resource: DiscoveredResource, thing: Thing): Promise<Thing | undefined> {
  if (thing.kind === "Pod" && thing["spec"] !== undefined) {
    const account = (thing["spec"] as { serviceAccountName?: string }).serviceAccountName;
    if (account !== undefined) return undefined;
  }
  return stage.create(resource, thing);
}

type Fate = "create" | "update" | "skip" | "conflict" | "refused";

/** What became of an item, told by the files of the restore alone. */
function fateOf(item: PlannedItem, kind: string, files: Files): Fate {
  const place = item.namespace === undefined ? item.name : `${item.namespace}/${item.name}`;
  const entry = (files.list[kind] ?? []).find((each) => each.startsWith(`${place}(`));
  const outcome = entry && /\((\w+)\)$/.exec(entry)?.[1];
  const short = kind.split("/").at(-1) ?? "";
  switch (outcome) {
    case "created":
      return "create";
    case "updated":
      return "update";
    case "failed":
      return files.warnings.includes(`${short} \\"${item.name}\\" exists already and differs`)
        ? "conflict"
        : "refused";
    default:
      return "skip";
  }
}

interface Files {
  readonly list: Readonly<Record<string, readonly string[]>>;
  readonly warnings: string;
}

async function restored(name: string, spec: object): Promise<Files> {
  await stage.request(name, spec);
  const ended = await eventually(
    () => stage.getRestore(name),
    ({ status }) => isRunEnded(status),
    180_000,
  );
  expect(["Completed", "PartiallyFailed"]).toContain(ended.status?.phase);
  const list = (await stage.stored(name, "resourceList")) as Files["list"];
  const results = (await stage.stored(name, "results")) as { warnings: unknown };
  return { list, warnings: JSON.stringify(results.warnings) };
}

test("plan equals outcome, item for item, in generated situations", { timeout: 1_200_000 }, async () => {
  const seen = new Map<string, number>();
  const wrong: string[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < situations) await one(next++);
  };
  const one = async (number: number): Promise<void> => {
    const situation = situationOf(number, stage.id);
    const spec = { ...situation.spec, ...(await setUp(situation)), backupName: situation.name };
    const plan = await planned(situation.name, spec);
    expect(plan.faults).toEqual([]);
    const files = await restored(situation.name, spec);
    const kindOf = new Map(
      situation.items.map(({ type, thing }) => [type, `${thing.apiVersion}/${thing.kind}`]),
    );
    kindOf.set("namespaces", "v1/Namespace");
    for (const item of plan.items) {
      const fate = fateOf(item, kindOf.get(item.resource) ?? "", files);
      const bad = situation.items.find(
        ({ thing, type }) => type === item.resource && thing.metadata.name === item.name,
      )?.isBad;
      const word = `${item.verdict}${item.notAsked === undefined ? "" : ", not asked"}`;
      seen.set(word, (seen.get(word) ?? 0) + 1);
      // What nobody could be asked about may be refused, and only if it is bad anywhere.
      const isRight = fate === item.verdict || (item.notAsked !== undefined && bad && fate === "refused");
      if (!isRight) wrong.push(`${situation.name} ${JSON.stringify(item)} became ${fate}`);
    }
    // Whatever the restore names, the plan names.
    const names = new Set(
      plan.items.map(({ namespace, name }) => (namespace ? `${namespace}/${name}` : name)),
    );
    for (const entry of Object.values(files.list).flat())
      if (!names.has(entry.replace(/\(\w+\)$/, ""))) wrong.push(`${situation.name} lacks ${entry}`);
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  expect(wrong).toEqual([]);
  // The situations are what they are meant to be: each verdict was seen often, with the API server asked or not.
  for (const word of ["create", "create, not asked", "update", "skip", "conflict", "refused"])
    expect([word, seen.get(word) ?? 0]).toEqual([word, expect.toSatisfy((count: number) => count >= 10)]);
});

test("a namespace that is being deleted is taken for gone, and the plan says so", async () => {
  const shop = stage.named("leaving");
  const metadata = { name: shop };
  await stage.create(builtIn.namespaces, { apiVersion: "v1", kind: "Namespace", metadata });
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one", namespace: shop }, data: {} };
  const keeper = held({ ...map, metadata: { name: "keeper", namespace: shop } });
  await stage.create(builtIn.configMaps, keeper);
  await stage.backup("leaving", archiveOf([{ type: "configmaps", thing: map }]));
  await stage.client.delete(builtIn.namespaces, shop);
  const plan = await planned("leaving", { backupName: "leaving" });
  expect(plan.items).toEqual([
    expect.objectContaining({
      name: shop,
      verdict: "create",
      notAsked: expect.stringMatching(/waits until/),
    }),
    expect.objectContaining({ name: "one", verdict: "create", notAsked: expect.stringMatching(/deleted/) }),
  ]);
  const restoring = restored("leaving", { backupName: "leaving" });
  const body = { metadata: { finalizers: null } };
  await stage.client.patch(builtIn.configMaps, "keeper", { type: "merge", body }, { namespace: shop });
  const { list } = await restoring;
  expect(list).toEqual({ "v1/ConfigMap": [`${shop}/one(created)`], "v1/Namespace": [`${shop}(created)`] });
});

/** The cluster as somebody sees it who may not read some types in some namespaces. */
function seenBy(mayRead: (resource: string, namespace: string) => boolean): Client {
  const { client } = stage;
  return new Proxy(client, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      if (key !== "create") return (...args: unknown[]) => Reflect.apply(value, target, args) as unknown;
      return async (resource: Resource, object: Review, ...rest: unknown[]) => {
        const answer = (await Reflect.apply(value, target, [resource, object, ...rest])) as object;
        if (resource.kind !== "SelfSubjectAccessReview") return answer;
        const { resource: plural, namespace = "" } = object.spec.resourceAttributes;
        return { ...answer, status: { allowed: mayRead(plural, namespace) } };
      };
    },
  });
}

interface Review {
  readonly spec: {
    readonly resourceAttributes: { readonly resource: string; readonly namespace?: string };
  };
}

function things(namespace: string) {
  const metadata = { namespace };
  return [
    {
      type: "configmaps",
      thing: { apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata, name: "goods" }, data: {} },
    },
    {
      type: "secrets",
      thing: { apiVersion: "v1", kind: "Secret", metadata: { ...metadata, name: "hush" }, data: {} },
    },
  ];
}

test("who may not read Secrets, or a namespace, gets nothing of them out of a plan", async () => {
  const [open, shut, aim] = [stage.named("open"), stage.named("shut"), stage.named("aim")];
  await stage.backup("rights", archiveOf([...things(open), ...things(shut)]));
  const spec = { backupName: "rights", namespaceMapping: { [open]: aim } };
  const all = await planned("rights", spec);
  expect(all.hidden).toEqual([]);
  expect(JSON.stringify(all)).toMatch(new RegExp(`hush.*${shut}|${shut}.*hush`));
  const noSecrets = await planned(
    "rights",
    spec,
    seenBy((resource) => resource !== "secrets"),
  );
  expect(noSecrets.hidden).toEqual(["secrets"]);
  expect(JSON.stringify(noSecrets)).not.toContain("hush");
  expect(noSecrets.counts.create).toBe(4);
  const noSpace = await planned(
    "rights",
    spec,
    seenBy((_resource, namespace) => namespace !== shut),
  );
  expect(JSON.stringify(noSpace)).not.toContain(shut);
  expect(noSpace.counts.create).toBe(3);
  // The rights at both ends of a mapping count.
  for (const end of [open, aim]) {
    const noEnd = await planned(
      "rights",
      spec,
      seenBy((_resource, namespace) => namespace !== end),
    );
    expect(noEnd.items.filter(({ namespace }) => namespace === aim)).toEqual([]);
  }
});

test("an item that the person may not ask about is unknown, and the reason names the right", async () => {
  const shop = stage.named("mute");
  const metadata = { name: shop };
  await stage.create(builtIn.namespaces, { apiVersion: "v1", kind: "Namespace", metadata });
  await stage.backup("mute", archiveOf(things(shop)));
  const proxy = await FaultProxy.open(await stage.access());
  const message = `secrets is forbidden: User "jane" cannot create resource "secrets" in API group "" in the namespace "${shop}"`;
  proxy.fault = ({ method, path }) =>
    method === "POST" && path.startsWith(`/api/v1/namespaces/${shop}/secrets`)
      ? { kind: "status", code: 403, reason: "Forbidden", message }
      : undefined;
  const client = connectTo({ server: proxy.url });
  try {
    const plan = await planned("mute", { backupName: "mute" }, client);
    expect(plan.items).toEqual([
      expect.objectContaining({ resource: "namespaces", verdict: "skip" }),
      expect.objectContaining({ resource: "configmaps", verdict: "create" }),
      expect.objectContaining({
        resource: "secrets",
        verdict: "unknown",
        reason: `you may not create secrets in namespace "${shop}", so nobody was asked`,
      }),
    ]);
    // Whatever a plan sends is a dry run, a review or a read.
    const writes = proxy.seen.filter(({ method, path }) => method !== "GET" && !path.includes("reviews"));
    expect(writes.length).toBeGreaterThan(0);
    expect(writes.filter(({ query }) => query.get("dryRun") !== "All")).toEqual([]);
  } finally {
    client.close();
    await proxy.close();
  }
});
