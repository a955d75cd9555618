import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { collidingNames, fnv1a } from "../../../../test/harness/colliding-names.ts";
import { Spool } from "./spool.ts";

async function open(parent?: string): Promise<Spool> {
  const spool = await Spool.open(parent);
  onTestFinished(async () => await spool.close());
  return spool;
}

const key = (name: string, namespace = "shop") => ({ groupResource: "configmaps", namespace, name });

test("Spool finds and reads what was added, through many flushes and growths", async () => {
  const spool = await open();
  const count = 20_000;
  for (let n = 0; n < count; n += 1) {
    const body = Buffer.from(`content ${n} ${"x".repeat(n % 300)}`);
    expect(spool.add(key(`item-${n}`, `ns-${n % 7}`), body, n % 3 === 0)).toBe(n);
    if (n % 100 === 0) await spool.flush();
  }
  await spool.flush(true);
  expect(spool.size).toBe(count);
  for (const n of [0, 1, 999, 4096, 12_345, count - 1]) {
    const ordinal = spool.find(key(`item-${n}`, `ns-${n % 7}`));
    expect(ordinal).toBe(n);
    expect(Buffer.from(await spool.read(n)).toString()).toBe(`content ${n} ${"x".repeat(n % 300)}`);
    expect(spool.nameOf(n)).toBe(`item-${n}`);
    expect(spool.groupOf(n)).toMatchObject({ groupResource: "configmaps", namespace: `ns-${n % 7}` });
  }
  expect(spool.find(key("item-1", "ns-2"))).toBeUndefined();
  expect(spool.find({ groupResource: "secrets", namespace: "ns-1", name: "item-1" })).toBeUndefined();
  const selected = [...spool.selectedByGroup().values()].flatMap((list) => [...list]);
  expect(selected.toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: Math.ceil(count / 3) }, (_, n) => n * 3),
  );
});

test("Spool.add() refuses a name that is taken in the same place only", async () => {
  const spool = await open();
  expect(spool.add(key("a"), Buffer.from("1"), true)).toBe(0);
  expect(spool.add(key("a"), Buffer.from("2"), true)).toBeUndefined();
  expect(spool.add(key("a", "other"), Buffer.from("3"), true)).toBe(1);
  expect(spool.add(key("ä"), Buffer.from("4"), true)).toBe(2);
  await spool.flush(true);
  expect(Buffer.from(await spool.read(0)).toString()).toBe("1");
  expect(spool.nameOf(2)).toBe("ä");
});

test("Spool leaves no file behind while it is open", async () => {
  const parent = await mkdtemp(join(tmpdir(), "spool-test-"));
  onTestFinished(async () => await rm(parent, { recursive: true }));
  const spool = await open(parent);
  spool.add(key("a"), Buffer.from("secret"), true);
  await spool.flush(true);
  expect(readdirSync(parent)).toEqual([]);
});

test("Spool.read() notices content that is not there", async () => {
  const spool = await open();
  spool.add(key("a"), Buffer.from("never flushed"), true);
  await expect(spool.read(0)).rejects.toMatchObject({ code: "SPOOL_DAMAGED" });
});

test("names that were made to collide cost no more than others", async () => {
  const spool = await open();
  const names = collidingNames(12);
  expect(
    new Set(names.map((name) => fnv1a(Buffer.from(name)))).size,
    "they collide where nothing is secret",
  ).toBe(1);
  expect(new Set(names).size).toBe(4096);
  for (const name of names) spool.add(key(name), Buffer.alloc(1), true);
  for (const name of names) expect(spool.find(key(name))).toBeDefined();
  expect(spool.probes).toBeLessThan(names.length * 20);
});
