import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { secondsOf } from "./civil.ts";
import { builtInZone, compiledZone } from "./zone.ts";

const folder = "/usr/share/zoneinfo";
const hasZones = existsSync(`${folder}/Europe/Berlin`);
const names = [
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "America/Sao_Paulo",
];

test.skipIf(!hasZones).each(names)(
  `compiledZone() and builtInZone() agree on the offsets of %s${hasZones ? "" : " (needs a tz database)"}`,
  (name) => {
    const compiled = compiledZone(name, readFileSync(`${folder}/${name}`));
    const builtIn = builtInZone(name);
    // Years that no later edition of the database will change.
    for (let year = 1975; year <= 2015; year += 1) {
      for (const month of [1, 4, 7, 10]) {
        const at = secondsOf(year, month, 15, 43_200);
        expect(compiled?.at(at).offset, `${name} ${year}-${month}`).toBe(builtIn?.at(at).offset);
      }
    }
  },
);

test("compiledZone() refuses what is no tz file", () => {
  expect(compiledZone("x", new Uint8Array())).toBeUndefined();
  expect(
    compiledZone(
      "x",
      Uint8Array.from({ length: 60 }, () => 0x54),
    ),
  ).toBeUndefined();
  expect(builtInZone("Nope/Zone")).toBeUndefined();
});
