import { expect, onTestFinished, test } from "vitest";
import { Spool } from "./archive/spool.ts";
import { filtersOf } from "./choice.ts";
import { planOf } from "./plan.ts";

async function spoolOf(items: readonly string[]): Promise<Spool> {
  const spool = await Spool.open();
  onTestFinished(async () => await spool.close());
  for (const item of items) {
    const [groupResource = "", namespace = "", name = ""] = item.split("|");
    spool.add({ groupResource, namespace, name }, Buffer.from("{}"), !item.endsWith("!"));
  }
  return spool;
}

test("planOf() orders types, groups by namespace, and counts namespaces once", async () => {
  const spool = await spoolOf([
    "widgets.example.com|shop|w",
    "pods|shop|p",
    "configmaps|zoo|a",
    "configmaps|shop|a",
    "configmaps|shop|b",
    "namespaces||shop",
    "namespaces||empty",
    "configmaps|shop|unselected!",
    "apps.kappctrl.k14s.io|shop|x",
  ]);
  const plan = planOf(
    spool,
    filtersOf({ namespaceMapping: { shop: "copy" } }, () => undefined),
  );
  expect(plan.types.map(({ groupResource, totalItems }) => [groupResource, totalItems])).toEqual([
    ["configmaps", 3],
    ["pods", 1],
    ["widgets.example.com", 1],
    ["apps.kappctrl.k14s.io", 1],
  ]);
  expect(
    plan.types[0]?.groups.map(({ namespace, target, items }) => [namespace, target, [...items]]),
  ).toEqual([
    ["shop", "copy", [3, 4]],
    ["zoo", "zoo", [2]],
  ]);
  expect([...plan.namespaces]).toEqual([
    ["copy", "shop"],
    ["zoo", "zoo"],
    ["empty", "empty"],
  ]);
  expect(plan.totalItems).toBe(9);
});

test("planOf() makes a namespace after the one that keeps its name", async () => {
  const spool = await spoolOf(["configmaps|a|x", "configmaps|b|x"]);
  const plan = planOf(
    spool,
    filtersOf({ namespaceMapping: { a: "b" } }, () => undefined),
  );
  expect([...plan.namespaces]).toEqual([["b", "b"]]);
});
