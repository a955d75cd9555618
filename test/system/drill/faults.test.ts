import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Drill, KubeObject } from "../../../src/api/index.ts";
import { builtIn } from "../../../src/kube/index.ts";
import { DrillWorld } from "../../harness/drill-world.ts";
import { eventually } from "../../harness/eventually.ts";
import { findTestMover } from "../../harness/movers.ts";

// Faults that are planted in a bucket or in the cluster, with real restic: each must be caught, and put down to the right part.
const found = findTestMover("restic");
const skip = "missing" in found ? found.missing : undefined;
let world: DrillWorld;

describe.skipIf(skip !== undefined)(`faults of a backup${skip ? ` (${skip})` : ""}`, () => {
  beforeAll(async () => {
    world = await DrillWorld.open();
  });
  afterAll(() => world?.close());
  // Whatever failed, everything was removed.
  afterEach(async () => expect(await world.leftovers()).toEqual([]));

  /** What is to blame, each once. */
  function blamed({ status }: Drill): readonly string[] {
    return [...new Set((status?.failures ?? []).map(({ part, reason }) => `${part} ${reason}`))];
  }

  async function stored(name: string): Promise<void> {
    await world.app(name, `words of ${name}`);
    await world.filled(name);
    await world.backup(name, [name]);
  }

  let made: Promise<void> | undefined;
  /** One good backup for the tests that plant nothing in the bucket. */
  function whole(): Promise<void> {
    made ??= stored("whole");
    return made;
  }

  async function failed(name: string, spec: NonNullable<Drill["spec"]> = {}): Promise<Drill> {
    await world.drill(name, { backupName: name, readyTimeout: "3s", ...spec });
    const drill = await world.ended(name);
    expect(drill.status?.phase, JSON.stringify(drill.status)).toBe("Failed");
    return drill;
  }

  function isSame(packed: Buffer, at: number): boolean {
    const changed = Buffer.from(packed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    try {
      return gunzipSync(changed).equals(gunzipSync(packed));
    } catch {
      return false; // it cannot even be unpacked
    }
  }

  function flip(file: string, at: number): void {
    const bytes = readFileSync(file);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    chmodSync(file, 0o600);
    writeFileSync(file, bytes);
  }

  test("one flipped byte of a pack", async () => {
    await stored("flipped");
    const [largest = ""] = packs("restic", "flipped");
    flip(largest, 1_000);
    expect(blamed(await failed("flipped"))).toEqual(["repository DamagedData"]);
  });

  test("one flipped byte of the archive", async () => {
    await stored("torn");
    const file = join(world.bucket, "backups/torn/torn.tar.gz");
    const packed = readFileSync(file);
    // In a run of zeros a changed distance unpacks to the same bytes: that backup is as good as before.
    let at = Math.floor(packed.length / 2);
    while (isSame(packed, at)) at += 1;
    flip(file, at);
    expect(blamed(await failed("torn"))).toEqual(["backup DamagedArchive"]);
  });

  test("a definition that the cluster does not have any more", async () => {
    const name = "widgets.example.com";
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      },
    };
    await world.client.create(builtIn.definitions, definition);
    const widgets = {
      group: "example.com",
      version: "v1",
      plural: "widgets",
      kind: "Widget",
      namespaced: true,
    };
    await world.app("kinds", "words");
    const widget = {
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "w", namespace: "kinds" },
    };
    await eventually(
      () => world.client.create<KubeObject>(widgets, widget).then(() => "made", String),
      (said) => said === "made",
    );
    await world.filled("kinds");
    await world.backup("kinds", ["kinds"]);
    await world.client.delete(builtIn.definitions, name);
    await eventually(
      () => world.client.discover(),
      ({ resources }) => !resources.some(({ plural }) => plural === "widgets"),
    );
    const drill = await failed("kinds");
    expect(blamed(drill)).toEqual(["cluster KindNotServed"]);
    expect(drill.status?.failures?.[0]?.message).toContain("Widget");
  });

  test("a pod that never gets ready", async () => {
    // It writes its data at the source only, and says that it is ready where it may.
    const probe = { exec: { command: ["sh", "-c", "test -e /tmp/never-there"] }, periodSeconds: 1 };
    await world.app("unready", "words", { container: { readinessProbe: probe } });
    await world.filled("unready");
    await world.backup("unready", ["unready"]);
    expect(blamed(await failed("unready"))).toEqual(["application NotReady"]);
  });

  test("a scratch namespace that exists already is not touched", async () => {
    await whole();
    // The name follows from the uid: the drill is made paused by a schedule that never comes, then its run is foreseen.
    const drill = await world.drill("taken", { backupName: "whole", schedule: "0 0 29 2 *", paused: true });
    const { scratchName } = await import("../../../src/engines/drill/names.ts");
    const name = scratchName("whole", drill.metadata.uid ?? "");
    const mine = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { owner: "somebody" } } };
    await world.client.create(builtIn.namespaces, mine);
    const drills = {
      group: "headway.dev",
      version: "v1alpha1",
      plural: "drills",
      kind: "Drill",
      namespaced: true,
    };
    const body = { spec: { schedule: null, paused: null }, status: { phase: null } };
    await world.client.patch(drills, "taken", { type: "merge", body }, { namespace: world.namespace });
    const ended = await world.ended("taken");
    expect(blamed(ended), JSON.stringify(ended.status)).toEqual(["cluster NamespaceExists"]);
    const there = await world.client.get<KubeObject>(builtIn.namespaces, name);
    expect([there.metadata.deletionTimestamp, there.metadata.labels?.["owner"]]).toEqual([
      undefined,
      "somebody",
    ]);
    await world.client.delete(builtIn.namespaces, name);
    await eventually(
      () => world.leftovers(),
      (left) => left.length === 0,
    );
  });

  test("a drill that is deleted while it runs leaves nothing", async () => {
    await whole();
    await world.drill("gone", {
      backupName: "whole",
      checks: [{ name: "never", timeout: "10m", exec: { pod: "web", command: ["false"] } }],
    });
    await eventually(
      () => world.getDrill("gone"),
      (drill) =>
        drill?.status?.steps?.some(({ name, state }) => name === "checks" && state === "running") === true,
      120_000,
    );
    expect((await world.leftovers()).length).toBeGreaterThan(1);
    await world.deleteDrill("gone");
    await eventually(
      () => world.getDrill("gone"),
      (drill) => drill === undefined,
      120_000,
    );
  });

  test("a wrong password", async () => {
    await stored("locked");
    const place = { namespace: world.namespace };
    const secrets = await world.client.list<KubeObject>(builtIn.secrets, place);
    const name =
      secrets.find(({ metadata }) => metadata.name.includes("repo-credentials"))?.metadata.name ?? "";
    const data = { "repository-password": Buffer.from("not the password").toString("base64") };
    await world.client.patch(builtIn.secrets, name, { type: "merge", body: { data } }, place);
    expect(blamed(await failed("locked"))).toEqual(["repository WrongPassword"]);
  });
});

const kopia = findTestMover("kopia");
const noKopia = "missing" in kopia ? kopia.missing : undefined;

// restic asks a quarter of an hour for a file that is not there; kopia says so at once.
test.skipIf(noKopia !== undefined)(`a missing pack${noKopia ? ` (${noKopia})` : ""}`, async () => {
  world = await DrillWorld.open({ uploader: "kopia" });
  try {
    await world.app("lost", "words of lost");
    await world.filled("lost");
    await world.backup("lost", ["lost"]);
    const [largest = ""] = packs("kopia", "lost");
    rmSync(largest, { force: true });
    await world.drill("lost", { backupName: "lost" });
    const { status } = await world.ended("lost");
    const blamed = status?.failures?.map(({ part, reason }) => `${part} ${reason}`);
    expect(blamed, JSON.stringify(status)).toEqual(["repository MissingData"]);
    expect(await world.leftovers()).toEqual([]);
  } finally {
    await world.close();
  }
});

/** The packs with data, the largest first. */
function packs(mover: string, name: string): readonly string[] {
  const folder = join(world.bucket, mover, name, mover === "restic" ? "data" : "");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => join(folder, file))
    .filter((file) => statSync(file).isFile())
    .toSorted((a, b) => statSync(b).size - statSync(a).size);
}
