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

test.each([
  ["trial-crash", "crash", /TypeError: a fault/],
  ["trial-rejection", "crash", /nobody waits for it/],
  ["trial-hang", "hang", /no end after/],
  ["trial-silence", "hang", /no end after/],
  ["trial-heap", "memory", /heap went past|no end/],
  ["trial-buffers", "memory", /grew by/],
] as const)("a campaign finds %s", { timeout: 60_000 }, async (target, what, words) => {
  const { failures } = await runCampaign(
    { target, seed: 1, from: 0, runs: 30, seconds: 30 },
    { cpuMs: 1_000, wallMs: 3_000 },
  );
  // A heap that is nearly full is slow: on a busy machine that may be seen first.
  const seen = target === "trial-heap" ? expect.stringMatching(/memory|hang/) : what;
  expect(failures[0]).toMatchObject({ what: seen as string, at: 10 });
  expect(failures[0]?.words).toMatch(words);
});

test("a campaign counts what it ran", async () => {
  const done = await runCampaign({ target: "events", seed: 1, from: 100, runs: 50, seconds: 30 });
  expect(done).toMatchObject({ runs: 50, failures: [] });
  expect(done.slowestAt).toBeGreaterThanOrEqual(100);
});
