import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Backup, kinds } from "../../../src/api/index.ts";
import { builtIn, isNotFound, resourceOf } from "../../../src/kube/index.ts";
import { startOperator } from "../../../src/operator/index.ts";
import { RestoreStage, type Thing, until } from "../../harness/restore-stage.ts";
import { canonical, type Sample, type Seed, samples, seeds } from "../../harness/samples.ts";

// A restore of any backup equals the source: objects of 19 kinds are created, backed up by the backup engine, restored
// under other namespaces with and without filters, and compared with what the cluster had of them before.

let stage: RestoreStage;
const stop = new AbortController();
let operator: Promise<void>;
beforeAll(async () => {
  stage = await RestoreStage.open();
  operator = startOperator(
    {
      client: stage.client,
      namespace: stage.namespace,
      controllers: ["backup", "restore"],
      log: () => undefined,
    },
    stop.signal,
  );
});
afterAll(async () => {
  stop.abort();
  await operator;
  await stage.close();
});

interface Case {
  readonly things: readonly { readonly sample: Sample; readonly place: number; readonly seed: Seed }[];
  readonly filter: "none" | "type" | "label" | "namespace";
  readonly map: boolean;
}

const cases: fc.Arbitrary<Case> = fc.record({
  things: fc.array(
    fc.record({ sample: fc.constantFrom(...samples), place: fc.constantFrom(0, 1), seed: seeds }),
    { minLength: 4, maxLength: 14 },
  ),
  filter: fc.constantFrom("none", "none", "type", "label", "namespace"),
  map: fc.boolean(),
});

let round = 0;

test("a restore of any backup equals the source", async () => {
  const seen = new Set<string>();
  const check = async (one: Case): Promise<void> => {
    round += 1;
    for (const kind of await restoredEqualsSource(one, `${stage.id}-${round}`)) seen.add(kind);
  };
  // Every kind at least once, both with its name and under another, then generated mixtures.
  const all = (place: number) =>
    samples.map((sample) => ({
      sample,
      place,
      seed: { labels: { app: "a" }, annotations: {}, text: 'té"xt\u2028', number: 3 },
    }));
  await check({ things: [...all(0), ...all(1)], filter: "none", map: true });
  await check({ things: all(0), filter: "none", map: false });
  await fc.assert(fc.asyncProperty(cases, check), {
    numRuns: process.env["HEADWAY_LONG"] === "1" ? 40 : 3,
    endOnFailure: true,
  });
  expect(seen.size).toBe(samples.length);
}, 600_000);

/** Creates, backs up, deletes, restores and compares; returns the kinds that came back. */
async function restoredEqualsSource({ things, filter, map }: Case, id: string): Promise<string[]> {
  const places = [`a-${id}`, `b-${id}`];
  for (const name of places) {
    await stage.create(builtIn.namespaces, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, labels: { kept: "yes" } },
    });
  }
  const sources: { sample: Sample; thing: Thing }[] = [];
  for (const [at, { sample, place, seed }] of things.entries()) {
    const made = sample.make(`o${at}-${id}`, places[place] ?? "", seed);
    sources.push({ sample, thing: await stage.create(sample.resource, made) });
  }
  const cluster = sources.some(({ sample }) => !sample.resource.namespaced);
  await backUp(`b-${id}`, { includedNamespaces: places, ...(cluster && { includeClusterResources: true }) });
  if (!map) {
    await release(sources);
    for (const name of places) await removeNamespace(name);
  }
  for (const { sample, thing } of sources)
    if (!sample.resource.namespaced) await stage.client.delete(sample.resource, thing.metadata.name);
  const mapping = map ? Object.fromEntries(places.map((name) => [name, `${name}-copy`])) : {};
  await stage.request(`r-${id}`, {
    backupName: `b-${id}`,
    ...(map && { namespaceMapping: mapping }),
    ...filterOf(filter, places),
    includeClusterResources: true,
    includedResources: ["*"],
    ...(filter === "type" && { includedResources: ["configmaps", "deploy", "clusterroles"] }),
  });
  await until(async () => /Completed|Failed/.test((await stage.getRestore(`r-${id}`)).status?.phase ?? ""));
  const { status } = await stage.getRestore(`r-${id}`);
  expect(status?.phase).toBe("Completed");
  expect(status?.progress?.itemsRestored).toBe(status?.progress?.totalItems);
  const renamed = (name: string): string => mapping[name] ?? name;
  const kept: string[] = [];
  for (const { sample, thing } of sources) {
    const restored = await find(sample, thing, renamed);
    if (!selected(filter, sample, thing, places)) {
      expect(restored, `${sample.type} ${thing.metadata.name} was not asked for`).toBeUndefined();
      continue;
    }
    kept.push(sample.type);
    expect(restored && canonical(restored)).toEqual(canonical(thing, renamed));
    expect(restored?.metadata.labels).toMatchObject({ "velero.io/restore-name": `r-${id}` });
  }
  return kept;
}

function filterOf(filter: Case["filter"], places: readonly string[]): object {
  if (filter === "label") return { labelSelector: { matchLabels: { app: "a" } } };
  return filter === "namespace" ? { includedNamespaces: [places[0]] } : {};
}

function selected(filter: Case["filter"], sample: Sample, thing: Thing, places: readonly string[]): boolean {
  if (filter === "label") return thing.metadata.labels?.["app"] === "a";
  if (filter === "type")
    return ["configmaps", "deployments.apps", "clusterroles.rbac.authorization.k8s.io"].includes(sample.type);
  if (filter === "namespace") return !sample.resource.namespaced || thing.metadata.namespace === places[0];
  return true;
}

async function find(
  sample: Sample,
  thing: Thing,
  renamed: (name: string) => string,
): Promise<Thing | undefined> {
  const { name, namespace } = thing.metadata;
  try {
    return await stage.client.get<Thing>(sample.resource, name, {
      ...(namespace !== undefined && { namespace: renamed(namespace) }),
    });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function backUp(name: string, spec: object): Promise<void> {
  const backups = resourceOf(kinds.Backup);
  await stage.create(backups, {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name, namespace: stage.namespace },
    spec: { storageLocation: "default", ...spec },
  });
  await until(async () => {
    const { status } = await stage.client.get<Backup>(backups, name, { namespace: stage.namespace });
    if (status?.phase === "Failed" || status?.phase === "FailedValidation")
      throw new Error(JSON.stringify(status));
    return status?.phase === "Completed" || status?.phase === "PartiallyFailed";
  });
}

/** Nobody uses these claims, and not every cluster has a controller that knows. */
async function release(
  sources: readonly { readonly sample: Sample; readonly thing: Thing }[],
): Promise<void> {
  for (const { sample, thing } of sources) {
    if (sample.type !== "persistentvolumeclaims") continue;
    const { name, namespace } = thing.metadata;
    await stage.client.patch(
      sample.resource,
      name,
      { type: "merge", body: { metadata: { finalizers: null } } },
      { namespace },
    );
  }
}

async function removeNamespace(name: string): Promise<void> {
  const { namespaces } = builtIn;
  await stage.client.delete(namespaces, name);
  await until(async () => {
    const left = await stage.client.list<Thing>(namespaces);
    return !left.some(({ metadata }) => metadata.name === name);
  }, 240_000); // a busy node takes its time to end pods
}
