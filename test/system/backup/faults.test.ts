import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type BackupStorageLocation, kinds, type Restore } from "../../../src/api/index.ts";
import { connectTo, type Resource, resourceOf } from "../../../src/kube/index.ts";
import { BackupStage, core, tarNames } from "../../harness/backup-stage.ts";
import { definitions, installDefinition } from "../../harness/definitions.ts";
import { eventually } from "../../harness/eventually.ts";
import { FaultProxy } from "../../harness/fault-proxy.ts";

let stage: BackupStage;
let shop: string;
let proxy: FaultProxy;
beforeAll(async () => {
  stage = await BackupStage.open();
  shop = await stage.app("faults");
  await stage.configMaps(shop, 300);
  proxy = await FaultProxy.open(stage.cluster.access);
});
afterAll(async () => {
  await proxy.close();
  await stage.close();
});

let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  proxy.fault = () => undefined;
  await stop?.();
  stop = undefined;
});

/** Starts an operator that talks to the cluster through the proxy. */
function behindProxy(): void {
  const client = connectTo({ server: proxy.url });
  const end = stage.operator(stage.namespace, ["backup", "location"], { client });
  stop = async () => {
    await end();
    client.close();
  };
}

/** Numbers that look random and are the same in every run. */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test("storms of 409, 429 and 500 cost time, not items", async () => {
  const next = chances(7);
  let faults = 0;
  proxy.fault = ({ method, watch, path }) => {
    if (watch || path.startsWith("/apis/coordination") || next() > 0.2) return undefined;
    faults += 1;
    const code = method === "GET" ? [429, 500][faults % 2] : [409, 429, 500][faults % 3];
    return { kind: "status", code: code ?? 500, reason: code === 409 ? "Conflict" : "", retryAfter: 0 };
  };
  behindProxy();
  await stage.create("storm", { includedNamespaces: [shop] });
  const { status } = await stage.ended("storm");
  expect(status).toMatchObject({ phase: "Completed" });
  expect(status?.progress?.itemsBackedUp).toBeGreaterThanOrEqual(300);
  expect(status?.progress?.totalItems).toBe(status?.progress?.itemsBackedUp);
  const names = new Set(tarNames(stage.read("storm", "storm.tar.gz")));
  for (let i = 0; i < 300; i++)
    expect(names.has(`resources/configmaps/namespaces/${shop}/cm-${i}.json`)).toBe(true);
  expect(faults, "the storm really blew").toBeGreaterThan(5);
});

test("a type that the server refuses to list is an error in its place, and the rest is stored", async () => {
  proxy.fault = ({ path, watch }) =>
    !watch && path.endsWith("/secrets") ? { kind: "status", code: 403, reason: "Forbidden" } : undefined;
  behindProxy();
  await stage.create("refused", { includedNamespaces: [shop] });
  const { status } = await stage.ended("refused");
  expect(status).toMatchObject({ phase: "PartiallyFailed", errors: 1 });
  expect(JSON.stringify(stage.json("refused", "refused-results.gz"))).toMatch(/secrets.*cannot list/);
  expect(tarNames(stage.read("refused", "refused.tar.gz"))).toContain(
    `resources/configmaps/namespaces/${shop}/cm-0.json`,
  );
});

test("objects of 1.4 MB are stored and restored as they are", async () => {
  const group = `big-${stage.namespace.slice(-8)}.example.com`;
  const bigs: Resource = { group, version: "v1", plural: "bigs", kind: "Big", namespaced: true };
  await installDefinition(stage.client, bigs);
  const heavy = await stage.app("heavy");
  const blob = "0123456789abcdef".repeat(90_000).slice(0, 1_400_000);
  for (const name of ["one", "two"]) {
    const big = {
      apiVersion: `${group}/v1`,
      kind: "Big",
      metadata: { name, namespace: heavy },
      spec: { blob: `${name}${blob}` },
    };
    await stage.client.create(bigs, big);
  }
  stop = stage.operator(stage.namespace, ["backup", "location", "restore"]);
  await stage.create("big", { includedNamespaces: [heavy] });
  expect((await stage.ended("big")).status).toMatchObject({ phase: "Completed" });
  const target = `${heavy}-copy`;
  const restored = await restore("big", { [heavy]: target });
  expect(restored.status).toMatchObject({ phase: "Completed" });
  for (const name of ["one", "two"]) {
    const there = await stage.client.get(bigs, name, { namespace: target });
    expect((there as unknown as { spec: { blob: string } }).spec.blob === `${name}${blob}`).toBe(true);
  }
  await stage.drop(target);
  await stage.client.delete(definitions, `bigs.${group}`);
});

test("names with every legal character come back as they were", async () => {
  const odd = await stage.app("odd");
  const roles: Resource = {
    group: "rbac.authorization.k8s.io",
    version: "v1",
    plural: "roles",
    kind: "Role",
    namespaced: true,
  };
  const names = [
    "system:controller:x",
    "UPPER.Case_0",
    "with space",
    "~!@#$^&*()+=;'\",<>?`{}|[]\\",
    "ünï-日本-🙂",
    "..dots...",
    "-dash-",
    `${"long".repeat(60)}:end`,
    "looks.json",
  ];
  for (const name of names)
    await stage.client.create(roles, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name, namespace: odd },
      rules: [],
    });
  const maps = ["a.b-c.0", `${"x".repeat(60)}.${"y".repeat(60)}.${"z".repeat(60)}`, "0"];
  for (const name of maps)
    await stage.client.create(core("configmaps", "ConfigMap"), {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: odd },
    });
  stop = stage.operator(stage.namespace, ["backup", "location", "restore"]);
  await stage.create("names", { includedNamespaces: [odd] });
  expect((await stage.ended("names")).status).toMatchObject({ phase: "Completed" });
  const target = `${odd}-copy`;
  const restored = await restore("names", { [odd]: target });
  expect(restored.status?.errors ?? 0, JSON.stringify(restored.status)).toBe(0);
  const there = await stage.client.list(roles, { namespace: target });
  expect(there.map(({ metadata }) => metadata.name).toSorted()).toEqual(names.toSorted());
  for (const name of maps)
    await stage.client.get(core("configmaps", "ConfigMap"), name, { namespace: target });
  await stage.drop(target);
});

test("a full disk fails the backup with the reason, and nothing half-written stays", async () => {
  const small = join(stage.folder, "small");
  mkdirSync(small);
  const dense = await stage.app("dense");
  await stage.client.create(core("configmaps", "ConfigMap"), {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "noise", namespace: dense },
    binaryData: { noise: randomBytes(500_000).toString("base64") },
  });
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=32k", "tmpfs", small]);
  try {
    stop = stage.operator(stage.namespace, ["backup", "location"], { tempDir: small });
    await stage.create("no-room", { includedNamespaces: [dense] });
    expect((await stage.ended("no-room")).status).toMatchObject({
      phase: "Failed",
      failureReason: expect.stringMatching(/no space left/),
    });
    expect(stage.files("no-room")).toEqual([]);
    expect(readdirSync(small)).toEqual([]);
    await stop();
    mkdirSync(join(small, "b"));
    await stage.location("small", stage.namespace, { config: { path: small } });
    stop = stage.operator(stage.namespace, ["backup", "location"]);
    await phaseOf("small", "Available");
    await stage.create("no-space", { includedNamespaces: [dense], storageLocation: "small" });
    expect((await stage.ended("no-space")).status).toMatchObject({
      phase: "Failed",
      failureReason: expect.stringContaining("no space left on the device"),
    });
    expect(readdirSync(join(small, "b")), "the marker of the location alone").toEqual(["metadata"]);
  } finally {
    await stop?.();
    stop = undefined;
    execFileSync("umount", [small]);
  }
});

test("a location that is read-only takes no backups, and one that cannot be reached says so", async () => {
  stop = stage.operator(stage.namespace, ["backup", "location"]);
  await stage.location("locked", stage.namespace, { accessMode: "ReadOnly" });
  await phaseOf("locked", "Available");
  await stage.create("to-locked", { includedNamespaces: [shop], storageLocation: "locked" });
  expect((await stage.ended("to-locked")).status).toMatchObject({
    phase: "FailedValidation",
    validationErrors: ['backup storage location "locked" is read-only'],
  });
  const credentials = "[default]\naws_access_key_id=a\naws_secret_access_key=b\n";
  await stage.client.create(core("secrets", "Secret"), {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "nobody", namespace: stage.namespace },
    stringData: { cloud: credentials },
  });
  await stage.location("away", stage.namespace, {
    provider: "aws",
    config: { s3Url: "http://127.0.0.1:9", region: "us-east-1", s3ForcePathStyle: "true" },
    credential: { name: "nobody", key: "cloud" },
  });
  const away = await phaseOf("away", "Unavailable");
  expect(away.status?.message).toMatch(/ECONNREFUSED/);
  expect(away.status?.message).not.toContain("aws_secret");
  await stage.create("to-away", { includedNamespaces: [shop], storageLocation: "away" });
  expect((await stage.ended("to-away")).status?.validationErrors?.[0]).toMatch(
    /"away" is unavailable: .*ECONNREFUSED/,
  );
});

test("patterns that match nothing are a warning", async () => {
  stop = stage.operator(stage.namespace, ["backup", "location"]);
  await stage.create("idle", { includedNamespaces: ["no-such-*", shop] });
  expect((await stage.ended("idle")).status).toMatchObject({ phase: "Completed", warnings: 1 });
  expect(JSON.stringify(stage.json("idle", "idle-results.gz"))).toContain("no-such-*");
});

async function phaseOf(name: string, phase: string): Promise<BackupStorageLocation> {
  const resource = resourceOf(kinds.BackupStorageLocation);
  return eventually(
    () => stage.client.get<BackupStorageLocation>(resource, name, { namespace: stage.namespace }),
    ({ status }) => status?.phase === phase,
  );
}

/** Restores a backup under other names and waits for the end. */
async function restore(backup: string, namespaceMapping: Record<string, string>): Promise<Restore> {
  const resource = resourceOf(kinds.Restore);
  const place = { namespace: stage.namespace };
  await stage.client.create(resource, {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name: backup, ...place },
    spec: { backupName: backup, namespaceMapping },
  });
  return eventually(
    () => stage.client.get<Restore>(resource, backup, place),
    ({ status }) => /Completed|Failed/.test(status?.phase ?? ""),
  );
}
