import { expect, test } from "vitest";
import { fake, run, world } from "../../../test/harness/backup-world.ts";
import type { Backup } from "../../api/index.ts";
import { type Kept, noteLeft, protectionOf, tellUnprotected } from "./protection.ts";
import { Findings } from "./results.ts";

/** A cluster in which nothing can be snapshotted. */
const nothing = { openSnapshots: undefined };
const claim = { namespace: "shop", name: "data", volume: "pv-1" };
const none: Kept = { copied: new Set(), left: new Map(), snapped: new Set(), unsnapped: new Map() };
const unsnapped = (reason: string, more: object = {}) => ({
  ...none,
  unsnapped: new Map([["pv-1", { reason, ...more }]]),
});
const left = (reason: string, more: object = {}, rest: Kept = unsnapped("no location")) => ({
  ...rest,
  left: new Map([["shop/data", { claim: "shop/data", reason, ...more }]]),
});

test.each<[string, Backup["spec"], Kept, object]>([
  ["whose files are copied", {}, { ...none, copied: new Set(["shop/data"]) }, { by: "files" }],
  ["that has a snapshot", {}, { ...none, snapped: new Set(["pv-1"]) }, { by: "snapshot" }],
  ["that nothing can take", {}, unsnapped("no location"), { reason: "no location", isWish: false }],
  [
    "whose driver takes a snapshot",
    {},
    { ...unsnapped("no location"), snappedClaims: new Set(["shop/data"]) },
    { by: "snapshot" },
  ],
  [
    "whose driver has no class: its word counts before that of the locations",
    {},
    { ...unsnapped("no location"), unsnappedClaims: new Map([["shop/data", { reason: "no class" }]]) },
    { reason: "no class", isWish: false },
  ],
  [
    "whose driver failed, and said so",
    {},
    { ...unsnapped("x"), unsnappedClaims: new Map([["shop/data", { reason: "failed", isTold: true }]]) },
    { isTold: true },
  ],
  ["of a backup without snapshots", { snapshotVolumes: false }, unsnapped("off"), { isWish: true }],
  [
    "whose files were wanted, of a backup without snapshots",
    { snapshotVolumes: false, defaultVolumesToFsBackup: true },
    unsnapped("off"),
    { reason: "no running pod of the backup mounts it", isWish: false },
  ],
  ["that a policy skips", {}, unsnapped("policy", { isWish: true }), { reason: "policy", isWish: true }],
  [
    "that its pod opts out",
    { defaultVolumesToFsBackup: true },
    left("opted out", { isWish: true }),
    { reason: "opted out", isWish: true },
  ],
  [
    "that cannot be copied, also where no snapshots are wanted",
    { snapshotVolumes: false },
    left("a raw block device"),
    { reason: "a raw block device", isWish: false },
  ],
  ["whose copy failed with an error that was told", {}, left("no agent", { isTold: true }), { isTold: true }],
  ["whose volume the backup leaves out", {}, none, { isWish: true }],
])("protectionOf() a claim %s", (_name, spec, kept, want) => {
  expect(protectionOf(claim, spec, kept)).toMatchObject(want);
});

test("noteLeft() keeps the gravest word of several pods, whatever their order", () => {
  const words = [
    { claim: "a/b", reason: "wish", isWish: true },
    { claim: "a/b", reason: "told", isTold: true },
    { claim: "a/b", reason: "cannot" },
  ];
  for (const order of [words, words.toReversed()]) {
    const kept = new Map();
    for (const one of order) noteLeft(kept, one);
    expect(kept.get("a/b")).toMatchObject({ reason: "told" });
  }
});

test("tellUnprotected() tells an error for each claim, and one warning for each wish, of bounded length", () => {
  const found = { warnings: new Findings(), errors: new Findings() };
  const claims = Array.from({ length: 30 }, (_, i) => ({ namespace: "a", name: `c${i}`, volume: `v${i}` }));
  const volumes = [...claims.map(({ volume }) => volume), "old"];
  tellUnprotected({ claims, volumes }, { snapshotVolumes: false }, none, found);
  tellUnprotected({ claims: [claim], volumes: [] }, {}, unsnapped("no location"), found);
  expect(found.warnings.count).toBe(2);
  expect(JSON.stringify(found.warnings.result())).toMatch(
    /30 claims \(a\/c0, .*a\/c19 and 10 more\).*1 volume \(old\)/s,
  );
  expect(found.errors.result()).toEqual({
    namespaces: { shop: [expect.stringMatching(/name: \/data .*no location; copy its files/)] },
  });
});

test("a backup is never complete over a volume that nothing keeps", async () => {
  const { status, json } = await run({ includedNamespaces: ["a"] }, nothing);
  expect(status).toMatchObject({ phase: "PartiallyFailed", errors: 1 });
  expect(JSON.stringify(await json("results"))).toMatch(
    /persistentvolumeclaims name: \/data .*is not in the backup/,
  );
});

test("a backup that takes no snapshots completes, with a warning that names what is not in it", async () => {
  const { status, json } = await run({ includedNamespaces: ["a"], snapshotVolumes: false }, nothing);
  expect(status).toMatchObject({ phase: "Completed", warnings: 1 });
  expect(JSON.stringify(await json("results"))).toContain("1 claim (a/data)");
});

test("a claim that is bound to nothing holds no data", async () => {
  const source = fake({ ...world, "persistentvolumeclaims a/data": { status: { phase: "Pending" } } });
  const { status } = await run({ includedNamespaces: ["a"] }, { source, ...nothing });
  expect(status).toMatchObject({ phase: "Completed" });
});
