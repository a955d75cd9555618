import fc from "fast-check";
import { expect, test } from "vitest";
import { Inventory } from "./inventory.ts";
import { ItemCount } from "./item-count.ts";
import { Findings } from "./results.ts";

test("Inventory takes each item once and lists them sorted", () => {
  const inventory = new Inventory();
  expect(inventory.add("v1/Pod", "b", "x")).toBe(true);
  expect(inventory.add("v1/Pod", "b", "x")).toBe(false);
  inventory.add("v1/Pod", "a", "y");
  inventory.add("v1/Node", undefined, "n");
  inventory.add("apps/v1/Deployment", "a", "lost");
  inventory.remove("apps/v1/Deployment", "a", "lost");
  expect([...inventory.json()].join("")).toBe('{"v1/Node":["n"],"v1/Pod":["a/y","b/x"]}');
  expect(inventory.add("apps/v1/Deployment", "a", "lost"), "what is lost is not tried again").toBe(false);
  expect(inventory.count).toBe(3);
  expect(inventory.holds("a")).toBe(true);
  expect(inventory.holds("c")).toBe(false);
});

test("Inventory.json() lists names in the order of the whole names", () => {
  const name = fc.stringMatching(/^[a-c.-]{1,4}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(name, name), { maxLength: 60 }), (items) => {
      const inventory = new Inventory();
      for (const [namespace, one] of items) inventory.add("v1/ConfigMap", namespace, one);
      const want = [...new Set(items.map(([namespace, one]) => `${namespace}/${one}`))].toSorted();
      const got: unknown = JSON.parse([...inventory.json()].join(""));
      expect(got).toEqual(want.length === 0 ? {} : { "v1/ConfigMap": want });
    }),
  );
});

test("ItemCount stays honest when lists are longer, shorter or double", () => {
  const count = new ItemCount();
  expect(count.numbers()).toEqual({ done: 0, failed: 0 });
  count.counted(10);
  expect(count.numbers().total).toBe(10);
  count.begin(6);
  for (let i = 0; i < 4; i++) count.stored();
  count.lost();
  count.visited(5, 3); // two more than counted
  expect(count.numbers()).toEqual({ done: 4, failed: 1, total: 12 });
  count.end(); // and then they were gone
  expect(count.numbers()).toEqual({ done: 4, failed: 1, total: 9 });
});

test("Findings counts everything and keeps a bounded number of texts", () => {
  const found = new Findings();
  expect(found.result()).toEqual({});
  found.add({ resource: "pods", namespace: "n", name: "p" }, "bad", "why");
  for (let i = 0; i < 2500; i++) found.add({}, "again");
  expect(found.count).toBe(2501);
  const { velero = [], namespaces } = found.result();
  expect(namespaces).toEqual({ n: ["resource: /pods name: /p message: /bad error: /why"] });
  expect(velero).toHaveLength(2000);
  expect(velero.at(-1)).toBe("and 501 more, see the log");
});
