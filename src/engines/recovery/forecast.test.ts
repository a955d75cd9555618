import { expect, test } from "vitest";
import { forecast } from "./forecast.ts";
import { assumptions, type BackupWork } from "./work.ts";

const GiB = 1024 ** 3;
const whole = (seconds: number) => ({ seconds, low: 0.8 * seconds, high: 1.3 * seconds, runs: 3 });
const volume = (title: string, seconds: number, gib = 1) => ({
  title,
  bytes: gib * GiB,
  restored: whole(seconds),
});
const shop: BackupWork = {
  name: "shop",
  items: 200,
  restored: whole(4),
  volumes: [volume("a", 100), volume("b", 100), volume("c", 100), volume("d", 100)],
};

test("forecast() adds up what was learned, with a range around it, the same each time", () => {
  const told = forecast([shop], { slots: 2 });
  expect(told.seconds).toBeCloseTo(204, 6);
  expect(told.low).toBeLessThan(204);
  expect(told.low).toBeGreaterThan(204 * 0.8);
  expect(told.high).toBeGreaterThan(204);
  expect(told.high).toBeLessThan(204 * 1.3 + 20);
  expect(told).toMatchObject({ objects: 200, volumes: 4, bytes: 4 * GiB, bases: { restores: 5 } });
  expect(told.restores).toMatchObject([{ backup: "shop", start: 0, basis: "restores" }]);
  expect(forecast([shop], { slots: 2 })).toEqual(told);
});

test("forecast() names what would help, the biggest first, and nothing that would not", () => {
  const [lever] = forecast([shop], { slots: 2 }).levers;
  expect(lever).toMatchObject({ change: "slots", to: "4" });
  expect(lever?.saves).toBeCloseTo(100 / 204, 2);
  const narrow = forecast([shop], { slots: 4, bytesPerSecond: GiB / 100 });
  expect(narrow.levers.map(({ change }) => change)).toEqual(["bandwidth"]);
  const alone = forecast([{ ...shop, volumes: [volume("a", 100)] }], { slots: 1 });
  expect(alone.levers).toEqual([]);
});

test("forecast() finds that the largest volume comes last", () => {
  const volumes = [volume("a", 50), volume("b", 50), volume("c", 300)];
  const told = forecast([{ ...shop, volumes }], { slots: 2 });
  expect(told.levers.map(({ change }) => change)).toContain("largest first");
  expect(told.criticalPath.at(-1)?.title).toBe("c");
});

test("what nobody has restored rests on backups, then on other volumes, then on what is assumed; less sure each time", () => {
  const width = (work: BackupWork["volumes"]) => {
    const told = forecast([{ name: "x", items: 0, volumes: work }], { slots: 1 });
    return { basis: Object.keys(told.bases), ratio: told.high / told.low, seconds: told.seconds };
  };
  const known = width([volume("a", 100)]);
  const copied = width([{ title: "a", bytes: GiB, copied: whole(100) }]);
  const assumed = width([{ title: "a", bytes: GiB }]);
  expect(known.ratio).toBeLessThan(copied.ratio);
  expect(copied.ratio).toBeLessThan(assumed.ratio);
  expect(assumed.basis).toEqual(["assumed"]);
  expect(assumed.seconds).toBeCloseTo(GiB / assumptions.bytesPerSecond, 3);
  const beside = width([volume("a", 100), { title: "b", bytes: 2 * GiB }]);
  expect(beside.basis).toEqual(["restores", "other volumes", "assumed"]);
  expect(beside.seconds).toBeCloseTo(300, 3);
});

test("a link that is named counts where nothing was learned", () => {
  const told = forecast([{ name: "x", items: 0, volumes: [{ title: "a", bytes: GiB }] }], {
    slots: 1,
    bytesPerSecond: GiB / 50,
  });
  expect(told.seconds).toBeCloseTo(50, 3);
  expect(told.bases).toMatchObject({ bandwidth: 1 });
});

test("a link that decides everything does not make the end certain", () => {
  const narrow = { slots: 4, bytesPerSecond: GiB / 100 };
  const { seconds, low, high } = forecast([shop], narrow);
  expect(low).toBeLessThan(0.9 * seconds);
  expect(high).toBeGreaterThan(1.1 * seconds);
});

test("forecast() of nothing takes no time", () => {
  expect(forecast([], { slots: 1 })).toMatchObject({ seconds: 0, low: 0, high: 0, restores: [], levers: [] });
});
