import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Growth } from "./growth.ts";

const root = await mkdtemp(join(tmpdir(), "growth-"));
afterAll(() => rm(root, { recursive: true, force: true }), 600_000);
const all = { entries: 1_000_000 };

/** The clock of the file system ticks in milliseconds; waits for its next tick. */
async function nextTick(folder: string): Promise<void> {
  const probe = `${folder}-probe`;
  await writeFile(probe, "");
  const { ctimeMs } = await stat(probe);
  for (let now = ctimeMs; now <= ctimeMs + 20; now = (await stat(probe)).ctimeMs) await writeFile(probe, "x");
}

test("Growth counts what was written, at any depth", async () => {
  const folder = await mkdtemp(join(root, "a-"));
  const growth = new Growth(folder);
  await growth.begin();
  expect(await growth.step(all)).toBe(0);
  await mkdir(join(folder, "x/y"), { recursive: true });
  await writeFile(join(folder, "x/y/z"), Buffer.alloc(1000));
  await writeFile(join(folder, "b"), Buffer.alloc(10));
  expect(await growth.step(all)).toBe(1010);
});

test("Growth ignores what was there before, unless it is written again", async () => {
  const folder = await mkdtemp(join(root, "b-"));
  await writeFile(join(folder, "old"), Buffer.alloc(5000));
  await writeFile(join(folder, "again"), Buffer.alloc(300));
  const growth = new Growth(folder);
  await growth.begin();
  expect(await growth.step(all)).toBe(0);
  await nextTick(folder);
  await writeFile(join(folder, "new"), Buffer.alloc(7));
  await writeFile(join(folder, "again"), Buffer.alloc(200));
  expect(await growth.step(all)).toBe(207);
});

test("Growth goes on where the budget ended, and never falls", async () => {
  const folder = await mkdtemp(join(root, "c-"));
  const growth = new Growth(folder);
  await growth.begin();
  for (let i = 0; i < 25; i += 1) await writeFile(join(folder, String(i)), Buffer.alloc(100));
  const seen: number[] = [];
  for (let i = 0; i < 9; i += 1) seen.push(await growth.step({ entries: 10 }));
  expect(seen).toEqual([1000, 2000, 2500, 2500, 2500, 2500, 2500, 2500, 2500]);
  await rm(join(folder, "3"));
  expect(await growth.step(all)).toBe(2500);
  await growth.end();
});

test("Growth takes a folder that is not there, or goes away, for empty", async () => {
  const growth = new Growth(join(root, "nothing"));
  await growth.begin();
  expect(await growth.step(all)).toBe(0);
});

/** A million when asked; names cost little, since fifty thousand of them share a file. */
const many = process.env["HEADWAY_LONG"] === "1" ? 1_000_000 : 20_000;

test(`Growth walks ${many} files in steps, within a bounded memory`, { timeout: 1_200_000 }, async () => {
  const folder = await mkdtemp(join(root, "many-"));
  const growth = new Growth(folder);
  await growth.begin();
  for (let i = 0; i < many; i += 1) {
    const inside = join(folder, String(Math.floor(i / 10_000)));
    if (i % 10_000 === 0) mkdirSync(inside);
    const first = join(folder, String(Math.floor(i / 50_000) * 5), `f${Math.floor(i / 50_000) * 50_000}`);
    if (i % 50_000 === 0) writeFileSync(first, "ten bytes.");
    else linkSync(first, join(inside, `f${i}`));
  }
  const heapBefore = process.memoryUsage().heapUsed;
  let heapMost = 0;
  let steps = 0;
  for (let [last, done] = [-1, 0]; done < many * 10; last = done) {
    done = await growth.step({ entries: 5_000 });
    steps += 1;
    expect(done - last).toBeLessThanOrEqual(50_001);
    expect(done).toBeGreaterThan(last);
    heapMost = Math.max(heapMost, process.memoryUsage().heapUsed);
  }
  expect(steps).toBe(many / 5_000);
  expect(heapMost - heapBefore).toBeLessThan(64 << 20);
  await growth.end();
});
