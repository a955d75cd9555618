import { expect, test } from "vitest";
import { runCampaign } from "./fuzz/campaign.ts";
import { keptCases } from "./fuzz/corpus.ts";
import { Random } from "./fuzz/random.ts";
import { outcomeOf } from "./fuzz/target.ts";
import { isTargetName, openTarget, targetNames } from "./fuzz/targets.ts";

// A short run of every fuzzer; `npm run fuzz` runs them for long, see docs/fuzzing.md.

/** Those that open files and sockets take a hundred times as long. */
const slow = ["stored-files", "archives", "http", "http-wire"];

test.each(targetNames)(
  "%s: a short run finds no crash, and not only refusals",
  { timeout: 60_000 },
  async (name) => {
    const target = await openTarget(name);
    const runs = slow.includes(name) ? 40 : 200;
    let taken = 0;
    for (let at = 0; at < runs; at += 1) {
      const given = target.make(new Random(7, at));
      const outcome = await outcomeOf(target, given);
      if (typeof outcome !== "string") throw new Error(`case ${at} of seed 7`, { cause: outcome.crash });
      if (outcome === "taken") taken += 1;
    }
    expect(target.name).toBe(name);
    expect(taken, "cases that are all refused show little").toBeGreaterThan(0);
  },
);

test.each(targetNames)("%s makes the same case for the same numbers", async (name) => {
  const target = await openTarget(name);
  const [one, two] = [target.make(new Random(3, 5)), target.make(new Random(3, 5))];
  expect(two).toEqual(one);
});

test.each(keptCases())(
  "$target takes or refuses $file, which it once crashed on",
  async ({ target, given }) => {
    expect(isTargetName(target)).toBe(true);
    if (isTargetName(target))
      expect(await outcomeOf(await openTarget(target), given)).toEqual(expect.any(String));
  },
);

/** So short that a hang is seen soon, or so long that nothing else is taken for one on a busy machine. */
const [soon, late] = [
  { cpuMs: 1_000, wallMs: 3_000 },
  { cpuMs: 50_000, wallMs: 50_000 },
];

test.each([
  ["trial-crash", late, { what: "crash", at: 10, words: /TypeError: a fault/ }],
  ["trial-rejection", late, { what: "crash", at: 30, words: /nobody awaited: .*nobody waits for it/ }],
  ["trial-hang", soon, { what: "hang", at: 10, words: /no end after/ }],
  ["trial-silence", soon, { what: "hang", at: 10, words: /no end after/ }],
  ["trial-heap", late, { what: "memory", at: 10, words: /heap went past/ }],
  ["trial-buffers", late, { what: "memory", at: 10, words: /grew by/ }],
] as const)("a campaign finds %s", { timeout: 60_000 }, async (target, limits, want) => {
  const work = { target, seed: 1, from: 0, runs: 30, seconds: 50 };
  const { failures } = await runCampaign(work, limits);
  expect(failures).toMatchObject([{ ...want, words: expect.stringMatching(want.words) as string }]);
});

test("a campaign counts what it ran", async () => {
  const done = await runCampaign({ target: "events", seed: 1, from: 100, runs: 50, seconds: 30 });
  expect(done).toMatchObject({ runs: 50, failures: [] });
  expect(done.slowestAt).toBeGreaterThanOrEqual(100);
});
