import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isNotFound } from "../../../src/kube/index.ts";
import { FilesystemStore } from "../../../src/store/index.ts";
import { archiveOf, core, RestoreStage, type Thing, until } from "../../harness/restore-stage.ts";

// The operator is a process of its own here, killed with -9 at random moments of a restore and started again.
// HEADWAY_LONG=1 does it thirty times with 5,000 items; HEADWAY_ITEMS and HEADWAY_KILLS say other numbers.
const long = process.env["HEADWAY_LONG"] === "1";
const items = Number(process.env["HEADWAY_ITEMS"] ?? (long ? 5_000 : 600));
const kills = Number(process.env["HEADWAY_KILLS"] ?? (long ? 30 : 2));

let stage: RestoreStage;
let kubeconfig: string;
beforeAll(async () => {
  stage = await RestoreStage.open();
  kubeconfig = await stage.kubeconfig();
});
afterAll(async () => {
  await stage.close();
});

test("a restore that is killed again and again ends Completed, with everything there once", async () => {
  const shop = stage.named("killed");
  const store = new FilesystemStore(join(stage.folder, "bucket"));
  await stage.backup(
    "b",
    archiveOf(Array.from({ length: items }, (_, n) => configMap(shop, n))),
    undefined,
    store,
  );
  await stage.request("r", { backupName: "b" });
  const seen: number[] = [];
  for (let round = 0; round < kills; round += 1) {
    const operator = start();
    // Random moments, spread over the whole run: items are made in the archive's order, so the newest tells how far it is.
    const mark = Math.floor(((round + Math.random()) / kills) * (items - 200));
    await until(async () => operator.exitCode !== null || (await isThere(shop, `item-${mark}`)), 100_000);
    await kill(operator);
    seen.push(await shown());
    expect(await isOver(), "it was killed before its end").toBe(false);
  }
  await toTheEnd("r");
  const { status } = await stage.getRestore("r");
  expect(status).toMatchObject({
    phase: "Completed",
    progress: { totalItems: items + 1, itemsRestored: items + 1 },
  });
  expect(status?.errors ?? 0).toBe(0);
  expect(status?.warnings ?? 0).toBe(0);
  expect(seen, "what was shown never falls").toEqual(seen.toSorted((a, b) => a - b));
  const there = await stage.client.list<Thing>(core("configmaps", "ConfigMap"), { namespace: shop });
  const ours = there.filter(({ metadata }) => metadata.name.startsWith("item-"));
  expect(ours).toHaveLength(items);
  for (const { metadata, data } of ours as (Thing & { data?: unknown })[]) {
    expect(data).toEqual({ n: metadata.name });
  }
}, 3_600_000);

test("restores that are killed once each, at moments of their own, all end Completed with nothing missing", async () => {
  const store = new FilesystemStore(join(stage.folder, "bucket"));
  const moments: number[] = [];
  for (let round = 0; round < kills; round += 1) {
    const name = `once-${round}`;
    const shop = stage.named(name);
    const archive = archiveOf(Array.from({ length: items }, (_, n) => configMap(shop, n)));
    await stage.backup(name, archive, undefined, store);
    await stage.request(name, { backupName: name });
    const first = start();
    // Anywhere from the first item to the last few: the next process must have something to do.
    const mark = Math.floor(((round + Math.random()) / kills) * (items - 100));
    await until(async () => first.exitCode !== null || (await isThere(shop, `item-${mark}`)), 100_000);
    await kill(first);
    expect(await isOver(name), "it was killed before its end").toBe(false);
    moments.push(mark);
    await toTheEnd(name);
    const { status } = await stage.getRestore(name);
    expect(status).toMatchObject({
      phase: "Completed",
      progress: { totalItems: items + 1, itemsRestored: items + 1 },
    });
    expect([status?.errors ?? 0, status?.warnings ?? 0]).toEqual([0, 0]);
    const there = await stage.client.list<Thing>(core("configmaps", "ConfigMap"), { namespace: shop });
    const ours = there.filter(({ metadata }) => metadata.name.startsWith("item-"));
    expect(ours).toHaveLength(items);
    for (const { metadata, data } of ours as (Thing & { data?: unknown })[])
      expect(data).toEqual({ n: metadata.name });
    // A cluster that is thrown away still has to hold it all until then.
    await stage.client.delete(core("namespaces", "Namespace", false), shop);
  }
  console.log(`killed when these items were there: ${moments.join(", ")}`);
}, 3_600_000);

function configMap(namespace: string, n: number): { type: string; thing: Thing } {
  const name = `item-${n}`;
  return {
    type: "configmaps",
    thing: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: { n: name } },
  };
}

/** The operator as a user runs it. */
function start(): ChildProcess {
  const main = join(import.meta.dirname, "../../../bin/headway.js");
  const args = [
    main,
    "operator",
    "--kubeconfig",
    kubeconfig,
    "--namespace",
    stage.namespace,
    "--controllers",
    "restore",
    // After a kill the lease of the dead one would have to run out, which takes a quarter of a minute each time.
    "--no-leader-election",
  ];
  const log = openSync(join(stage.folder, "operator.log"), "a");
  const child = spawn(process.execPath, args, { stdio: ["ignore", log, log] });
  closeSync(log);
  return child;
}

/** A last operator brings the restore to its end; when it does not, what it said tells why. */
async function toTheEnd(name: string): Promise<void> {
  const operator = start();
  try {
    await until(async () => operator.exitCode !== null || (await isOver(name)), 100_000 + items * 40);
    expect(operator.exitCode, "the operator runs").toBeNull();
  } catch (error) {
    const { status } = await stage.getRestore(name);
    const said = await readFile(join(stage.folder, "operator.log"), "utf8");
    console.log(
      `restore ${name} has not ended: ${JSON.stringify(status)}, the operator ${operator.exitCode === null ? "runs" : `ended with ${operator.exitCode}`} and said\n${said.slice(-8_000)}`,
    );
    throw error;
  } finally {
    await kill(operator);
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

async function isThere(namespace: string, name: string): Promise<boolean> {
  try {
    await stage.client.get(core("configmaps", "ConfigMap"), name, { namespace });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function shown(): Promise<number> {
  return (await stage.getRestore("r")).status?.progress?.itemsRestored ?? 0;
}

async function isOver(name = "r"): Promise<boolean> {
  return /Completed|Failed/.test((await stage.getRestore(name)).status?.phase ?? "");
}
