import { expect, test } from "vitest";
import { anOperation, FakeObserver } from "../../test/harness/fake-observer.ts";
import type { Frame } from "./observer.ts";
import { idIn, splitId, united, type Watched } from "./united.ts";

function fake(synced: Promise<void> = Promise.resolve()) {
  const observer = new FakeObserver();
  return { observer, watched: Object.assign(observer, { synced: () => synced }) as Watched };
}

test("united() tells each operation's cluster, by itself and in its id", () => {
  const [blue, green] = [fake(), fake()];
  const both = united(
    new Map([
      ["blue", blue.watched],
      ["arn:aws:eks/green", green.watched],
    ]),
  );
  const frames: Frame[] = [];
  const leave = both.subscribe((frame) => void frames.push(frame));
  blue.observer.set(anOperation("a"));
  green.observer.set(anOperation("a"));
  green.observer.delete("backup/velero/a");
  expect(frames.map(({ id, operation }) => [id, operation?.ref.cluster])).toEqual([
    ["backup/velero/a@blue", "blue"],
    ["backup/velero/a@arn:aws:eks/green", "arn:aws:eks/green"],
    ["backup/velero/a@arn:aws:eks/green", undefined],
  ]);
  expect(both.operations().map(({ id }) => id)).toEqual(["backup/velero/a@blue"]);
  expect(both.operation("backup/velero/a@blue")).toBe(both.operations()[0]);
  expect(both.operation("backup/velero/a")).toBeUndefined();
  leave();
  blue.observer.set(anOperation("b"));
  expect(frames).toHaveLength(3);
});

test("united() is ready when one cluster is: one that is away hides nothing", async () => {
  const away = fake(new Promise<void>(() => undefined));
  const both = united(
    new Map([
      ["away", away.watched],
      ["here", fake().watched],
    ]),
  );
  await expect(both.synced()).resolves.toBeUndefined();
});

test.each([
  ["", "backup/velero/a", "backup/velero/a"],
  ["admin@prod/eu", "backup/velero/a", "backup/velero/a@admin@prod/eu"],
])("idIn() and splitId() belong together: %s", (cluster, id, whole) => {
  expect(idIn(cluster, id)).toBe(whole);
  expect(splitId(whole)).toEqual({ id, cluster });
});
