import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonScan, parseScanned } from "./json-scan.ts";

function scanned(text: string, pieces = 1): JsonScan {
  const bytes = Buffer.from(text);
  const scan = new JsonScan();
  const step = Math.max(1, Math.ceil(bytes.length / pieces));
  for (let at = 0; at < bytes.length; at += step) scan.push(bytes.subarray(at, at + step));
  return scan;
}

test("JsonScan sees the same in one piece and in many", () => {
  fc.assert(
    fc.property(fc.json(), fc.integer({ min: 1, max: 40 }), (text, pieces) => {
      const [whole, cut] = [scanned(text), scanned(text, pieces)];
      expect(cut).toEqual(whole);
      expect(parseScanned(Buffer.from(text), cut)).toEqual({ value: JSON.parse(text) });
    }),
  );
});

test.each([
  ['{"a":[1,{"b":"\\"{[:,"}],"c":2}', { depth: 3, keys: 3, values: 6 }],
  ["[[],[],[]]", { depth: 2, keys: 0, values: 7 }],
  ["1", { depth: 0, keys: 0, values: 1 }],
])("JsonScan counts %s", (text, want) => {
  expect(scanned(text)).toMatchObject(want);
});

test.each([
  ['{"a":1,"a":2}', "a key occurs twice in its JSON"],
  ["{", "it is no JSON"],
])("parseScanned() does not trust %s", (text, fault) => {
  expect(parseScanned(Buffer.from(text), scanned(text))).toEqual({ fault });
});
